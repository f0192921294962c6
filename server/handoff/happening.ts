import { type Event, type Handoff, holderOf } from '../../model/handoff/handoff.ts'
import { eventsSince } from '../../model/handoff/log.ts'
import type { Party, Target } from '../../model/handoff/party.ts'
import { LEASE_ENDED } from '../../model/handoff/step.ts'
import type { Kept } from './kept.ts'

/** What became of a handoff, told once it is durable. Whoever keeps count of handoffs listens to these. */
export type Happening = HandoffHappening | BreakerHappening

export type HandoffHappeningName =
  | 'started'
  | 'offered'
  | 'held'
  | 'avoided'
  | 'delivered'
  | 'redelivered'
  | 'exhausted'
  | 'accepted'
  | 'declined'
  | 'leaseEnded'
  | 'gaveUp'
  | 'handedOn'
  | 'takenBack'
  | 'passed'
  | 'parked'
  | 'replayed'
  | 'revoked'
  | 'completed'
  | 'failed'
  | 'returned'
  | 'refusedDrift'
  | 'hopLimit'
  | 'asked'
  | 'answered'
  | 'released'

export interface HandoffHappening {
  readonly name: HandoffHappeningName
  readonly handoff: string
  readonly user: string
  readonly work: string
  readonly from: Party | null
  /** Whom it was offered to; from accept on, who holds or held it. */
  readonly to: Target | null
  readonly hop: number
  readonly at: number
  readonly attempt?: number
  readonly why?: string
  /** Milliseconds: of an accept since it was offered, of an outcome since it was accepted. */
  readonly latency?: number
  /** Of an accept: what the holder got of what it was pointed to and needs, and the tokens of its narrative if counted. */
  readonly completeness?: number
  readonly tokens?: number | null
  /** Of a delivery: how many connections it went to. */
  readonly connections?: number
}

export interface BreakerHappening {
  readonly name: 'breakerOpened' | 'breakerHalfOpen' | 'breakerClosed'
  readonly to: Target
  readonly at: number
}

/** What a holder got on accepting, as far as it is counted. */
export interface Measured {
  readonly completeness: number
  readonly tokens: number | null
}

const NAMES: { readonly [what: string]: HandoffHappeningName } = {
  started: 'started',
  held: 'held',
  avoided: 'avoided',
  exhausted: 'exhausted',
  accepted: 'accepted',
  declined: 'declined',
  'handed on': 'handedOn',
  'taken back': 'takenBack',
  passed: 'passed',
  parked: 'parked',
  replayed: 'replayed',
  revoked: 'revoked',
  completed: 'completed',
  failed: 'failed',
  returned: 'returned',
  'drift refused': 'refusedDrift',
  'hop limit': 'hopLimit',
  asked: 'asked',
  answered: 'answered',
  released: 'released',
}

/** What happened between two states of a handoff, in order. */
export const happenings = (
  { user, handoff }: Kept,
  was: Handoff | undefined,
  measured: Measured | undefined,
): HandoffHappening[] =>
  eventsSince(handoff, was).map(event => {
    const name = nameOf(event)
    const latency = latencyOf(handoff, event, name)
    return {
      ...common(user, handoff, event, name),
      ...(event.attempt !== undefined && { attempt: event.attempt }),
      ...(event.why !== undefined && { why: event.why }),
      ...(latency !== undefined && { latency }),
      ...(name === 'accepted' && measured),
    }
  })

/** An offer that was pushed to connections. */
export const deliveredTo = ({ user, handoff }: Kept, to: Target, connections: number, at: number): HandoffHappening => {
  const attempt = handoff.state.name === 'offered' ? handoff.state.attempt : 1
  return { ...common(user, handoff, { at, what: 'offered', to }, 'delivered'), attempt, connections }
}

const common = (user: string, handoff: Handoff, event: Event, name: HandoffHappeningName) => ({
  name,
  handoff: handoff.id,
  user,
  work: handoff.work,
  from: handoff.from,
  to: event.to ?? partyOf(handoff, event),
  hop: handoff.hop,
  at: event.at,
})

function nameOf({ what, attempt = 1, why }: Event): HandoffHappeningName {
  if (what === 'offered') return attempt > 1 ? 'redelivered' : 'offered'
  if (what === 'lapsed') return why === LEASE_ENDED ? 'leaseEnded' : 'gaveUp'
  const name = NAMES[what]
  if (!name) throw new Error(`No happening is called after the event "${what}".`)
  return name
}

function partyOf(handoff: Handoff, { at }: Event): Target | null {
  const { state } = handoff
  const party = 'by' in state ? state.by : (holderOf(handoff, at) ?? null)
  return party && { role: party.role, agent: party.agent }
}

const AFRESH: ReadonlySet<string> = new Set(['lapsed', 'replayed', 'started'])
const OUTCOMES: ReadonlySet<HandoffHappeningName> = new Set(['completed', 'failed', 'returned', 'passed'])

function latencyOf({ made, events }: Handoff, event: Event, name: HandoffHappeningName): number | undefined {
  const before = events.slice(0, events.indexOf(event))
  if (name === 'accepted') return event.at - (before.findLast(({ what }) => AFRESH.has(what))?.at ?? made)
  if (!OUTCOMES.has(name)) return undefined
  const since = before.findLast(({ what }) => what === 'accepted' || what === 'started')?.at
  return since === undefined ? undefined : event.at - since
}
