import type { BudgetReport } from '../handoff/budget.ts'
import type { Broken } from '../handoff/chain.ts'
import type { Envelope } from '../handoff/envelope.ts'
import type { Exchange } from '../handoff/exchange.ts'
import type { Checkpoint, Event, Mode, State } from '../handoff/handoff.ts'
import type { Party, Target } from '../handoff/party.ts'
import type { Work } from '../handoff/work.ts'
import type { Json } from '../value.ts'

/** What travels of handoffs, the same at every door. */

/** How a handoff stands. */
export interface HandoffSeen {
  readonly id: string
  readonly state: State['name']
  readonly epoch: number
  readonly from: Party | null
  readonly to: Target | null
  readonly holder: Party | null
  readonly previous: string | null
  readonly next: string | null
  /** When the holder's lease ends unless it shows a sign of life. */
  readonly lease: number | null
  /** When the grant ends. */
  readonly expires: number
  readonly urgency: number
  readonly hop: number
  readonly mode: Mode
  /** Who handed it on and is still there to be asked, and until when. */
  readonly overlap: { readonly with: Party; readonly until: number } | null
  /** Of a broadcast, of which this is one receiver's part. */
  readonly broadcast?: string
  readonly made: number
  /** Why it is parked. */
  readonly why?: string
}

/** A handoff, and whose it is where the reader may know. */
export type ListedHandoff = HandoffSeen & { readonly user?: string }

/** Work, and how its handoffs stand. */
export type OpenWork = Work & { readonly handoffs: readonly HandoffSeen[] }

/** How a handoff to many stands. */
export interface BroadcastSeen {
  readonly id: string
  readonly mode: 'broadcast'
  /** `ended`: all have acted, failed or declined, or the deadline has passed. */
  readonly state: 'open' | 'ended'
  readonly from: Party
  readonly made: number
  readonly deadline: number
  /** How many have completed their part. */
  readonly acted: number
  readonly receivers: readonly ReceiverSeen[]
}

export interface ReceiverSeen {
  readonly to: Target
  /** The handoff that is this receiver's part. */
  readonly handoff: string
  readonly state: State['name']
  /** Why it did not act: `declined`, `expired`, `lapsed`, `revoked`. */
  readonly why?: string
}

/** What is told before anyone has accepted. */
export interface OfferSeen {
  readonly id: string
  readonly from: Party | null
  readonly to: Target | null
  readonly urgency: number
  readonly hop: number
  readonly made: number
  readonly attempt: number
  /** Someone held it before and vanished or gave up. */
  readonly isResumed: boolean
  /** Of what your role needs: what is known, and what you would have to ask for. */
  readonly needs: { readonly known: readonly string[]; readonly missing: readonly string[] }
}

/** All that the holder of some work is given, but for the view of the user. */
export interface Delivery {
  readonly user: string
  readonly handoff: HandoffSeen
  readonly envelope: Envelope
  /** The work as it stands now, as far as you may see it. */
  readonly work: Work
  /** Where to go on from; null: from the beginning, or of what you may not read. */
  readonly checkpoint: Checkpoint | null
  /** What was asked of whoever handed it on, and answered. */
  readonly exchange: readonly Exchange[]
  readonly narrative: string
  readonly budget: BudgetReport
  /** What is wanted and not there. */
  readonly gaps: readonly Gap[]
  /** Share of what was pointed to and needed that is there. */
  readonly completeness: number
  /** What has changed since the holder before was shown the user; null when there was none. */
  readonly since: readonly FieldDiff[] | null
  readonly version: string
  readonly asOf: number
}

export interface Gap {
  readonly field: string
  readonly why: 'missing' | 'stale'
}

export interface FieldDiff {
  readonly field: string
  readonly before: Json
  readonly now: Json
}

/** What a holder was shown and is no longer so: the belief is another now, or has faded to stale. */
export interface StaleMark extends FieldDiff {
  readonly why: 'changed' | 'faded'
}

/** How much a holder was told when it accepted: of its budget, and of what it was pointed to and needs. */
export interface Told {
  readonly completeness: number
  readonly strategy: BudgetReport['strategy']
  readonly allowed: number | null
  readonly used: number | null
  /** The first of what was left out, and how much that was. */
  readonly trimmed: BudgetReport['trimmed']
  readonly trimmedInAll: number
  readonly gaps: readonly Gap[]
}

/** Whether a chain of handoffs is as it was sealed; else the first hop that is not, and why. */
export interface Verification {
  readonly handoff: string
  /** From the first on. */
  readonly hops: readonly string[]
  readonly broken: Broken | null
}

/** A handoff from outside: for who may see more than that there is one. */
export interface HandoffDetails {
  readonly user: string
  readonly handoff: HandoffSeen
  readonly envelope: Envelope
  readonly work: Work
  readonly checkpoint: Checkpoint | null
  readonly exchange: readonly Exchange[]
  readonly events: readonly Event[]
  /** What of the view as it was served to its holder is no longer so. */
  readonly stale: readonly StaleMark[]
  /** For who may read every field; null otherwise, and until someone has accepted. */
  readonly told: Told | null
}

/** The archived whole of a handoff. */
export interface Frame {
  readonly handoff: HandoffSeen
  readonly outcome: State
  readonly envelope: Envelope
  readonly checkpoint: Checkpoint | null
  readonly exchange: readonly Exchange[]
  readonly events: readonly Event[]
  /** What the last holder was shown, as far as you may read it. */
  readonly served: { readonly asOf: number; readonly values: { readonly [field: string]: Json } } | null
  /** What of it is no longer so. */
  readonly stale: readonly StaleMark[]
  /** For who may read every field; null otherwise, and if nobody has accepted. */
  readonly told: Told | null
}

/** One of the archive of all users. */
export interface DeskFrame extends Frame {
  readonly user: string
}
