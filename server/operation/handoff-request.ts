import { z } from 'zod'
import { SelfsameError, unwrap } from '../../model/error.ts'
import { STRATEGIES } from '../../model/handoff/budget.ts'
import { readVersion, VERSION } from '../../model/handoff/envelope.ts'
import { grantShape } from '../../model/handoff/grant.ts'
import { MODES, STATES } from '../../model/handoff/handoff.ts'
import { targetShape } from '../../model/handoff/party.ts'
import { tags } from '../../model/handoff/piece.ts'
import { reportShape } from '../../model/handoff/work.ts'
import { type Json, plain } from '../../model/value.ts'
import { MAX_TOKENS, MIN_TOKENS } from '../context/context.ts'
import { fieldName, parse, userId } from './request.ts'

/** What each operation of handoffs asks for, the same at every door. */

const text = z.string().trim().min(1).max(4_000)
const rules = z.array(z.string().trim().min(1).max(1_000)).max(32)
const milliseconds = z.int().min(100)
const json = z.unknown().transform((value, context): Json => {
  const copied = plain(value ?? null)
  if (copied.ok) return copied.value
  context.addIssue({ code: 'custom', message: copied.error.message })
  return z.NEVER
})
/** By which a request that is sent again is known. */
const request = userId.optional()
const held = { handoff: userId, epoch: z.int().min(1) }

/** Milliseconds since 1970, or an ISO 8601 date or time. */
const time = z.union(
  [
    z.int().min(0),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
    z.union([z.iso.date(), z.iso.datetime({ offset: true })]).transform(text => Date.parse(text)),
  ],
  { error: 'expected milliseconds since 1970, a date such as 2026-01-05, or an ISO 8601 time with an offset' },
)

const intent = z.union([
  text.transform(words => ({ words, goal: null })),
  z.strictObject({ words: text, goal: text.nullish().transform(goal => goal ?? null) }),
])

export const startRequest = z.strictObject({
  user: userId,
  intent,
  task: userId.optional(),
  constraints: rules.optional(),
  exclusions: rules.optional(),
  lease: milliseconds.optional(),
  grant: grantShape.optional(),
  request,
})

const handShape = {
  version: z.string().max(16).optional(),
  ...held,
  mode: z.enum(MODES).optional(),
  /** One; of a broadcast one or several, a role standing for all of it who are connected. */
  to: z.union([targetShape, z.array(targetShape).min(1).max(100)]),
  /** Milliseconds in which the receivers of a broadcast have to act. */
  deadline: milliseconds.optional(),
  /** Milliseconds that the sender stays to be asked once it is accepted. */
  overlap: milliseconds.optional(),
  /** What the sender takes itself to be bound by: refused as `drift` when it is not what the work says. */
  restated: z
    .strictObject({ intent: intent.optional(), constraints: rules.optional(), exclusions: rules.optional() })
    .optional(),
  alternatives: z.array(targetShape).max(4).optional(),
  reason: text,
  next: text.optional(),
  words: text.optional(),
  /** What `reason`, `next` and `words` speak of. */
  fields: tags.optional(),
  constraints: rules.optional(),
  exclusions: rules.optional(),
  expected: json.optional(),
  refs: tags.optional(),
  grant: grantShape.optional(),
  tokens: z.int().min(MIN_TOKENS).max(MAX_TOKENS).optional(),
  strategy: z.enum(STRATEGIES).optional(),
  urgency: z.number().min(0).max(1).optional(),
  acknowledge: milliseconds.optional(),
  request,
  /** The same in other versions, for receivers of before or after. */
  also: z.array(z.record(z.string(), json)).max(4).optional(),
}

export const handRequest = z.strictObject(handShape)
const newerHandRequest = z.object(handShape).catchall(json)

export type HandRequest = z.infer<typeof handRequest>

/** A request to hand on, and what in it is from a version after this one. */
export interface Handing {
  readonly version: string
  readonly request: HandRequest
  readonly extra: Readonly<Record<string, Json>>
}

/**
 * Of a version that is known nothing unknown is taken, as it is a mistake. Of a later minor one it is kept. Of the versions
 * that one sender gives at once, the first that is understood counts, and the others are passed on as they are.
 */
export function readHanding(input: unknown): Handing {
  const drafts = [input, ...alsoIn(input)]
  const index = drafts.findIndex(draft => readVersion(versionIn(draft)).ok)
  const draft = drafts[index]
  if (draft === undefined) throw unsupported(drafts)
  const version = versionIn(draft)
  const extra = others(drafts, index)
  if (unwrap(readVersion(version)) === 'known') return { version, request: parse(handRequest, draft), extra }
  const read = parse(newerHandRequest, draft)
  const unknown = Object.entries(read).filter(([key]) => !Object.hasOwn(handShape, key))
  return {
    version,
    request: read as HandRequest,
    extra: { ...extra, ...Object.fromEntries(unknown) } as Handing['extra'],
  }
}

const unsupported = (drafts: readonly unknown[]): SelfsameError => {
  const result = readVersion(versionIn(drafts[0]))
  return new SelfsameError(result.ok ? { code: 'version_unsupported', message: '' } : result.error)
}

function others(drafts: readonly unknown[], index: number): Record<string, Json> {
  const rest = drafts.filter((_, i) => i !== index).map(draft => (isObject(draft) ? withoutAlso(draft) : draft))
  return rest.length === 0 ? {} : { also: unwrap(plain(rest)) }
}

const withoutAlso = ({ also: _, ...draft }: Readonly<Record<string, unknown>>) => draft

const alsoIn = (input: unknown): readonly unknown[] =>
  isObject(input) && Array.isArray(input['also']) ? input['also'].slice(0, 4) : []

const versionIn = (draft: unknown): string =>
  isObject(draft) && typeof draft['version'] === 'string' ? draft['version'] : VERSION

const isObject = (input: unknown): input is Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null && !Array.isArray(input)

export const acceptRequest = z.strictObject({
  handoff: userId,
  lease: milliseconds.optional(),
  /** People only: takes it from whoever has it, if it is still in this epoch. */
  over: z.int().min(0).optional(),
  request,
})
export const declineRequest = z.strictObject({ handoff: userId, why: text })
export const renewRequest = z.strictObject(held)
export const reportRequest = reportShape.extend(held)
export const checkpointRequest = reportShape.extend({
  ...held,
  number: z.int().min(1).optional(),
  state: json.optional(),
  note: z.string().max(4_000).optional(),
  fields: tags.optional(),
})
export const completeRequest = z.strictObject({ ...held, result: json.optional() })
export const failRequest = z.strictObject({ ...held, why: text, retry: z.boolean().optional() })
export const returnRequest = z.strictObject({
  ...held,
  why: text,
  next: text.optional(),
  fields: tags.optional(),
  request,
})
export const askRequest = z.strictObject({ ...held, text, fields: tags.optional(), request })
export const answerRequest = z.strictObject({ handoff: userId, question: userId, text, fields: tags.optional() })
export const releaseRequest = z.strictObject({ handoff: userId })
export const withdrawRequest = z.strictObject({ handoff: userId, why: text })
export const replayRequest = z.strictObject({
  handoff: userId,
  to: targetShape.optional(),
  ttl: z.int().min(1).optional(),
})
export const replayAllRequest = z.strictObject({
  state: z.enum(['parked', 'failed']).optional(),
  /** Whom they were offered to. */
  target: targetShape.optional(),
  why: z.string().max(4_000).optional(),
  to: targetShape.optional(),
  ttl: z.int().min(1).optional(),
  limit: z.int().min(1).max(500).optional(),
  after: z.string().max(1_000).optional(),
})
export const mayRequest = z.strictObject({
  ...held,
  action: z.string().min(1).max(64),
  parameters: z.record(z.string().max(64), json).optional(),
})
export const inspectRequest = z.strictObject({ handoff: userId })
export const handoffsRequest = z.strictObject({
  state: z.enum(STATES).optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  /** The `next` of the page before. */
  after: z.string().max(1_000).optional(),
})
export const framesRequest = z.strictObject({
  user: userId,
  from: time.optional(),
  to: time.optional(),
  agent: userId.optional(),
  outcome: z.enum(STATES).optional(),
  field: fieldName.optional(),
  limit: z.int().min(1).max(100).optional(),
  cursor: z.string().min(1).max(400).optional(),
})

export const deskFramesRequest = framesRequest.omit({ user: true })

export const statsRequest = z.strictObject({
  from: time.optional(),
  to: time.optional(),
  by: z.enum(['day', 'week']).optional(),
})

export type StatsRequest = z.infer<typeof statsRequest>
export type StartRequest = z.infer<typeof startRequest>
export type AcceptRequest = z.infer<typeof acceptRequest>
export type DeclineRequest = z.infer<typeof declineRequest>
export type RenewRequest = z.infer<typeof renewRequest>
export type ReportRequest = z.infer<typeof reportRequest>
export type CheckpointRequest = z.infer<typeof checkpointRequest>
export type CompleteRequest = z.infer<typeof completeRequest>
export type FailRequest = z.infer<typeof failRequest>
export type ReturnRequest = z.infer<typeof returnRequest>
export type WithdrawRequest = z.infer<typeof withdrawRequest>
export type ReplayRequest = z.infer<typeof replayRequest>
export type ReplayAllRequest = z.infer<typeof replayAllRequest>
export type AskRequest = z.infer<typeof askRequest>
export type AnswerRequest = z.infer<typeof answerRequest>
export type ReleaseRequest = z.infer<typeof releaseRequest>
export type MayRequest = z.infer<typeof mayRequest>
export type HandoffsRequest = z.infer<typeof handoffsRequest>
export type DeskFramesRequest = z.infer<typeof deskFramesRequest>
export type FramesRequest = z.infer<typeof framesRequest>
