import type { Json } from '../value.ts'
import type { Exchange, Inquiry, Overlap } from './exchange.ts'
import { type Grant, isLive } from './grant.ts'
import type { Party, Target } from './party.ts'
import type { Policy } from './policy.ts'

/**
 * One delegation of work, as a record that is kept for good.
 *
 *     offered ──accept──▶ accepted ──complete──▶ completed
 *      ▲  │ ▲              │  │ │ └────fail────▶ failed ──replay──▶ offered
 *      │  │ └──lease ends──┘  │ └─────return───▶ returned
 *      │  └─unanswered,       └─hand on─▶ passing ──the next accepts──▶ passed
 *      │    expired                          │
 *      └─replay── parked ◀── too many lapses, expired, revoked
 *
 * Every accept raises the epoch; whoever speaks with an older one has been replaced.
 */
export interface Handoff {
  readonly id: string
  readonly work: string
  /** Null: the work was started with it. */
  readonly from: Party | null
  readonly previous: string | null
  /** The first, then the alternatives. */
  readonly targets: readonly Target[]
  readonly grant: Grant
  readonly policy: Policy
  readonly urgency: number
  readonly hop: number
  readonly mode: Mode
  /** Of a broadcast, of which this is one receiver's part. */
  readonly broadcast?: string
  /** Handed back: the holding of whoever it goes back to. */
  readonly returns?: { readonly handoff: string; readonly epoch: number }
  /** Milliseconds that its sender stays to be asked once it is accepted. */
  readonly window?: number
  readonly overlap?: Overlap
  readonly exchange?: readonly Exchange[]
  readonly inquiry?: Inquiry
  readonly made: number
  readonly epoch: number
  readonly state: State
  readonly checkpoint: Checkpoint | null
  /** Who said no since it was last offered anew. */
  readonly declined: readonly string[]
  /** Holders that vanished or gave up since a person last looked at it. */
  readonly lapses: number
  readonly events: readonly Event[]
}

/**
 * How work is passed: `direct`, to one; `broadcast`, a part of its own to each of many while the sender goes on;
 * `choreographed`, each holder names the next, and a chain that goes on too long ends with a person.
 */
export const MODES = ['direct', 'broadcast', 'choreographed'] as const
export type Mode = (typeof MODES)[number]

export type State = Offered | Accepted | Passing | Parked | Final

export interface Offered {
  readonly name: 'offered'
  /** Which of the targets. */
  readonly target: number
  /** 0: held, and not delivered yet. */
  readonly attempt: number
  /** When it is delivered again, if nobody answers. */
  readonly again: number
}

export interface Holder extends Party {
  /** By which a repeated accept is known from a second one. */
  readonly request: string
}

export interface Accepted {
  readonly name: 'accepted'
  readonly holder: Holder
  readonly lease: number
}

/** Handed on and not yet taken: the holder still has it. */
export interface Passing {
  readonly name: 'passing'
  readonly holder: Holder
  readonly lease: number
  readonly next: string
}

/** Waits for a person. */
export interface Parked {
  readonly name: 'parked'
  readonly why: ParkReason
  readonly since: number
}

export type ParkReason = 'unanswered' | 'lapsed' | 'expired' | 'revoked' | 'hop_limit' | 'circuit_open'

export type Final =
  | { readonly name: 'completed'; readonly by: Party; readonly at: number; readonly result: Json }
  | { readonly name: 'returned'; readonly by: Party; readonly at: number; readonly why: string; readonly next: string }
  | { readonly name: 'failed'; readonly by: Party | null; readonly at: number; readonly why: string }
  | { readonly name: 'passed'; readonly by: Party; readonly at: number; readonly next: string }

export interface Checkpoint {
  /** Rises by each checkpoint of the work and never falls. */
  readonly number: number
  readonly epoch: number
  readonly by: Party
  readonly at: number
  readonly state: Json
  readonly note: string
  /** What it speaks of: who may not read all of these does not get it. */
  readonly fields: readonly string[]
}

export interface Event {
  readonly at: number
  readonly what: string
  readonly by?: string
  readonly why?: string
  /** Whom it was offered to, and how often that made. */
  readonly to?: Target
  readonly attempt?: number
}

export const STATES = [
  'offered',
  'accepted',
  'passing',
  'parked',
  'completed',
  'returned',
  'failed',
  'passed',
] as const satisfies readonly State['name'][]

export const OPEN: ReadonlySet<State['name']> = new Set(['offered', 'accepted', 'passing', 'parked'])

/** Something is still to become of it. */
export const isOpen = ({ state }: Handoff): boolean => OPEN.has(state.name)

/** Who has the work by it, with all authority that this gives, at a time. */
export function holderOf({ state, grant }: Handoff, now: number): Holder | undefined {
  if (state.name !== 'accepted' && state.name !== 'passing') return undefined
  return state.lease > now && isLive(grant, now) ? state.holder : undefined
}

/** Whether it was offered anew, or again, since it was as before. */
export const isDelivered = ({ state, epoch }: Handoff, was: Handoff | undefined): boolean =>
  state.name === 'offered' &&
  state.attempt > 0 &&
  (was?.state.name !== 'offered' ||
    was.epoch !== epoch ||
    was.state.attempt !== state.attempt ||
    was.state.target !== state.target)

export const targetOf = ({ state, targets }: Handoff): Target | undefined =>
  state.name === 'offered' ? targets[state.target] : undefined

/** When time alone changes it next; undefined: never. */
export function dueOf({ state, grant, overlap }: Handoff): number | undefined {
  switch (state.name) {
    case 'offered':
      return Math.min(state.again, grant.expires)
    case 'accepted':
    case 'passing':
      return Math.min(state.lease, grant.expires, overlap?.until ?? grant.expires)
    default:
      return undefined
  }
}
