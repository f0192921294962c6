import type { Belief } from '../belief.ts'
import type { Refusal } from '../error.ts'
import type { Evidence } from '../evidence.ts'
import type { Exchange } from '../handoff/exchange.ts'
import type { View } from '../view.ts'
import type { Columns } from './columns.ts'
import type { HandoffSeen, ListedHandoff, OfferSeen, OpenWork } from './handoff.ts'
import type { Alert } from './quality.ts'
import type { SchemaSeen } from './schema-seen.ts'

/**
 * What travels on the agent socket, one JSON object a frame. A request carries an id of the client's choice and is
 * answered once under it, in any order:
 *
 *     → {"id":7,"op":"model","user":"u_42","fields":["need.*"]}
 *     ← {"id":7,"ok":{"user":"u_42","version":"…","asOf":1764000000000,"columns":{…}}}
 *     ← {"id":8,"error":{"code":"user_unavailable","message":"…"}}
 *
 * Besides, the server speaks first once (`hello`) and whenever something watched has changed.
 */
export type ServerFrame =
  | HelloFrame
  | AnswerFrame
  | RefusalFrame
  | ChangeFrame
  | EvidenceFrame
  | ResyncFrame
  | EndedFrame
  | ListFrame
  | WorkFrame
  | OfferFrame
  | HandoffFrame
  | ExchangeFrame
  | AlertFrame

export interface HelloFrame {
  readonly hello: {
    readonly agent: string
    readonly role: string
    readonly schema: SchemaSeen
    readonly time: number
    /** When the token ends, and with it the connection. */
    readonly expires: number
  }
}

export interface AnswerFrame {
  readonly id: number
  readonly ok: unknown
}

export interface RefusalFrame {
  readonly id: number | null
  readonly error: Refusal
}

/** What a watch saw change. `null`: nothing is believed of the field any more. */
export interface ChangeFrame {
  readonly watch: number
  readonly user: string
  readonly version: string
  readonly asOf: number
  readonly beliefs: { readonly [field: string]: Belief | null }
}

/** What a replica saw change: evidence under new keys, and keys that hold nothing any more. */
export interface EvidenceFrame {
  readonly watch: number
  readonly user: string
  readonly put: { readonly [key: string]: Evidence }
  readonly gone: readonly string[]
}

/** What a watch of handoffs saw change, by id. `null`: it is no longer in the list. */
export interface ListFrame {
  readonly watch: number
  readonly offers: { readonly [id: string]: OfferSeen | null }
  readonly handoffs: { readonly [id: string]: ListedHandoff | null }
}

/** The open work of a user has changed: this is how it stands now. */
export interface WorkFrame {
  readonly watch: number
  readonly user: string
  readonly works: readonly OpenWork[]
}

/** Changes were left out, as the reader was too slow or they were too many: ask for the watch again. */
export interface ResyncFrame {
  readonly watch: number
  readonly user?: string
  readonly resync: true
}

/** The watch is over: what it watched may no longer be read. */
export interface EndedFrame {
  readonly watch: number
  readonly user: string
  readonly ended: Refusal
}

/** Work that may be accepted. */
export interface OfferFrame {
  readonly offer: OfferSeen
}

/** A handoff that this agent sent, holds or held is in another state now. */
export interface HandoffFrame {
  readonly handoff: HandoffSeen
}

/** Something is wrong with handoffs, or no longer: told to people of the desk. */
export interface AlertFrame {
  readonly alert: Alert
}

/** Something was asked or answered of a handoff that this agent holds or has handed on. */
export interface ExchangeFrame {
  readonly exchange: Exchange & { readonly handoff: string }
}

export interface ModelAnswer {
  readonly user: string
  readonly version: string
  readonly asOf: number
  readonly columns: Columns
}

/** All evidence that a replica may hold, by key. What stands under a key never changes. */
export interface ReplicaAnswer {
  readonly user: string
  readonly evidence: { readonly [key: string]: Evidence }
}

export interface Model {
  readonly user: string
  readonly version: string
  readonly asOf: number
  readonly beliefs: View
}

export interface ObserveAnswer {
  readonly version: string
  readonly outcomes: readonly ItemOutcome[]
}

export interface ItemOutcome {
  readonly id: string
  readonly status: 'admitted' | 'refused' | 'echo'
  readonly error?: Refusal
}

/**
 * Reasons for which a server closes a socket. Clients of Yjs take 4400 to 4499 as final. After `startAfresh` a client may
 * come back with nothing in hand, after `tooSlow` as it is.
 */
export const CLOSE = {
  unauthorized: 4401,
  forbidden: 4403,
  startAfresh: 4409,
  tooLarge: 4413,
  badFrame: 4400,
  tooSlow: 4508,
} as const
