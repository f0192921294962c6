import type { Belief } from '../model/belief.ts'
import type { Moment } from '../model/course.ts'
import type { Basis } from '../model/definition.ts'
import { type Refusal, SelfsameError } from '../model/error.ts'
import type { Explained } from '../model/explanation.ts'
import type { Permission } from '../model/handoff/grant.ts'
import type { Json } from '../model/value.ts'
import type { AliasesAnswer } from '../model/wire/alias.ts'
import type { AuditAnswer } from '../model/wire/audit.ts'
import type { ExportAnswer, ExportedPage } from '../model/wire/export.ts'
import type { ModelAnswer, ObserveAnswer, ServerFrame } from '../model/wire/frame.ts'
import type {
  BroadcastSeen,
  Delivery,
  DeskFrame,
  Frame,
  HandoffDetails,
  HandoffSeen,
  ListedHandoff,
  OfferSeen,
  OpenWork,
  Verification,
} from '../model/wire/handoff.ts'
import type { QualityAnswer } from '../model/wire/quality.ts'

/** The server takes no larger message: one that is would cost the whole connection. */
const MAX_FRAME_BYTES = 256 * 1024
const FRAME_MARGIN = 64
const MAX_BYTES_PER_CHAR = 3
const encoder = new TextEncoder()

export type Answer = { readonly ok: unknown } | { readonly error: Refusal }

/** What each operation is answered with when it is not refused. */
export interface Answers {
  observe: ObserveAnswer
  correct: ObserveAnswer
  retract: ObserveAnswer
  model: ModelAnswer
  context: ContextAnswer
  explain: ExplainAnswer
  watch: ModelAnswer
  export: ExportAnswer | ExportedPage
  aliases: AliasesAnswer
  join: AliasesAnswer
  part: AliasesAnswer
  audit: AuditAnswer
  erase: { readonly user: string; readonly erased: true }
  start: Delivered
  accept: Delivered
  handoff: HandoffSeen | BroadcastSeen
  decline: HandoffSeen
  renew: HandoffSeen
  report: HandoffSeen
  checkpoint: HandoffSeen
  complete: HandoffSeen
  fail: HandoffSeen
  return: HandoffSeen
  ask: HandoffSeen
  answer: HandoffSeen
  release: HandoffSeen
  revoke: HandoffSeen
  replay: HandoffSeen
  replayAll: { readonly replayed: readonly string[]; readonly next: string | null }
  may: Permission
  inspect: HandoffDetails | HandoffSeen | BroadcastSeen
  handoffs: {
    readonly offers: readonly OfferSeen[]
    readonly handoffs: readonly ListedHandoff[]
    readonly next: string | null
  }
  works: { readonly user: string; readonly works: readonly OpenWork[] }
  stats: QualityAnswer
  frames: { readonly frames: readonly Frame[]; readonly cursor: string | null }
  deskFrames: { readonly frames: readonly DeskFrame[]; readonly cursor: string | null }
  verify: Verification
}

/** What the holder of some work is given, and the view of the user. */
export type Delivered = Delivery & Pick<ModelAnswer, 'columns'>

export type ContextAnswer = {
  readonly user: string
  readonly version: string
  readonly asOf: number
  readonly tokens: number
  /** Fields that are left out, and why. */
  readonly trimmed: readonly { readonly field: string; readonly reason: 'budget' | 'stale' }[]
} & ({ readonly format: 'markdown'; readonly text: string } | { readonly format: 'json'; readonly context: Json })

export interface ExplainAnswer {
  readonly user: string
  readonly field: string
  readonly version: string
  readonly asOf: number
  readonly belief: Belief | null
  /** In the order they were said. */
  readonly words: readonly ExplainedWord[]
  /** If asked for: what was believed over time, and how it will fade if nothing more is said. */
  readonly course?: readonly Moment[]
}

/** One word under a belief. Of words folded into one there is less to tell; `words` then says how many they were. */
export interface ExplainedWord extends Omit<Explained, 'evidence'> {
  readonly id: string
  readonly at: number
  readonly interaction: string
  readonly confidence?: number
  readonly trust?: number
  readonly basis?: Basis
  readonly role?: string
  readonly task?: string
  readonly source?: string
  readonly why?: string
  /** The other name of the user that it was said under. */
  readonly origin?: string
  readonly words?: number
}

/**
 * The two halves of a request:
 *
 *     bodyOf({ op: 'model', user: 'u_42' })  →  {"op":"model","user":"u_42"}
 *     frameOf(7, body)                       →  {"id":7,"op":"model","user":"u_42"}
 */
export function bodyOf(request: object): string {
  const body = JSON.stringify(request)
  if (bytesOf(body) > MAX_FRAME_BYTES - FRAME_MARGIN)
    throw new SelfsameError({ code: 'too_large', message: `A request holds at most ${MAX_FRAME_BYTES} bytes.` })
  return body
}

export const frameOf = (id: number, body: string): string => `{"id":${id},${body.slice(1)}`

const bytesOf = (text: string): number =>
  text.length * MAX_BYTES_PER_CHAR <= MAX_FRAME_BYTES - FRAME_MARGIN ? text.length : encoder.encode(text).length

/**
 * A frame of the server, or undefined when it is none. What is inside an answer is taken as the protocol types it: the
 * server is the authority on what it says, and checking every belief again would cost more than parsing it.
 */
export function readFrame(text: string): ServerFrame | undefined {
  try {
    const frame: ServerFrame = JSON.parse(text)
    return isFrame(frame) ? frame : undefined
  } catch {
    return undefined
  }
}

const TOLD = ['beliefs', 'put', 'offers', 'works', 'resync', 'ended']

function isFrame(frame: unknown): boolean {
  if (typeof frame !== 'object' || frame === null) return false
  if ('hello' in frame) return typeof frame.hello === 'object' && frame.hello !== null
  if ('watch' in frame) return typeof frame.watch === 'number' && TOLD.some(name => name in frame)
  if ('offer' in frame) return typeof frame.offer === 'object' && frame.offer !== null
  if ('alert' in frame) return typeof frame.alert === 'object' && frame.alert !== null
  if ('exchange' in frame) return typeof frame.exchange === 'object' && frame.exchange !== null
  if ('handoff' in frame) return typeof frame.handoff === 'object' && frame.handoff !== null
  if (!('id' in frame)) return false
  return 'ok' in frame || ('error' in frame && typeof frame.error === 'object' && frame.error !== null)
}
