import type { Definition } from '../model/infer.ts'
import { type ConnectOptions, connectIn, type Desk } from './desk.ts'
import { environment } from './environment.ts'

export type { Moment } from '../model/course.ts'
export { CODES, type Code, type Detail, type Refusal, SelfsameError } from '../model/error.ts'
/** What `selfsame/client` offers, in Node and in browsers. */
export type { Exchange } from '../model/handoff/exchange.ts'
export type { AuditAnswer, AuditEntry, AuditKind } from '../model/wire/audit.ts'
export type { ExportAnswer } from '../model/wire/export.ts'
export type {
  BroadcastSeen,
  Delivery,
  Frame,
  HandoffDetails,
  HandoffSeen,
  ListedHandoff,
  OfferSeen,
  OpenWork,
} from '../model/wire/handoff.ts'
export { Broadcast } from './broadcast.ts'
export { browserOutbox } from './browser-outbox.ts'
export { type ConnectOptions, Desk, type DeskSchema, type StatsOptions } from './desk.ts'
export type { DeskUser, FramesOptions } from './desk-user.ts'
export type { Entry, Place } from './entry.ts'
export type { BeliefOf, ByField, Circumstances, FieldName, Listed, Said, Sayable, Value } from './fields.ts'
export type { ExplainAnswer, ExplainedWord } from './frame.ts'
export { type Answer, Handoff } from './handoff.ts'
export type { OpenHandoffs } from './handoffs-watch.ts'
export { redeem, type SignedIn } from './link.ts'
export { Offer } from './offer.ts'
export type { Settlement } from './outbox.ts'
export { type Outcome, RefusedError, type Written } from './outcome.ts'
export { browserReplica } from './replica/browser-keep.ts'
export type { Keep, Kept } from './replica/keep.ts'
export type { Replica, ReplicaBelief, ReplicaOptions, ReplicaState } from './replica/replica.ts'
export type { Token } from './token.ts'
export {
  type AuditOptions,
  type Change,
  type ContextOptions,
  type ExplainOptions,
  type JsonContext,
  type ModelOptions,
  type ObserveOptions,
  type RetractOptions,
  User,
  type WatchOptions,
} from './user.ts'
export { UserModel } from './user-model.ts'
export { type BroadcastOptions, type HandoffOptions, type StartOptions, Work } from './work.ts'

/** Resolves when the server has greeted; from then on the connection comes back by itself until `close`. */
export async function connect<const D extends Definition = Definition>(options: ConnectOptions<D>): Promise<Desk<D>> {
  return connectIn(await environment(), options)
}
export type { Alert, AlertKind, Quality, QualityAnswer, QualityPeriod, Tier } from '../model/wire/quality.ts'
