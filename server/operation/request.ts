import { z } from 'zod'
import { detailsOf } from '../../model/definition.ts'
import { SelfsameError } from '../../model/error.ts'
import { isFieldName, isId } from '../../model/name.ts'
import { isPattern } from '../../model/pattern.ts'
import { AUDIT_KINDS } from '../../model/wire/audit.ts'
import { EXPORT_FORMATS } from '../../model/wire/export.ts'
import { FORMATS, MAX_TOKENS, MIN_TOKENS } from '../context/context.ts'

/** What each operation asks for, the same at every door. */

export const userId = z.string().refine(isId, { error: 'expected 1 to 128 letters, digits or any of _ . : ~ -' })
const taskId = userId
export const fieldName = z.string().refine(isFieldName, { error: 'expected a field name such as "need.issue"' })
const pattern = z.string().refine(isPattern, { error: 'expected a field pattern such as "need.*"' })
const patterns = z.array(pattern).min(1).max(100)
const version = z.string().min(1).max(64)

const items = z.array(z.unknown()).min(1)
/** By which handoff it is said, and which time that was accepted: who has been replaced is then refused. */
const under = z.strictObject({ handoff: userId, epoch: z.int().min(1) }).optional()
const written = { user: userId, atomic: z.boolean().optional(), under }

export const observeRequest = z.strictObject({ ...written, observations: items })
export const correctRequest = z.strictObject({ ...written, corrections: items })
export const retractRequest = z.strictObject({ user: userId, retraction: z.unknown(), under })

export const modelRequest = z.strictObject({
  user: userId,
  fields: patterns.optional(),
  minConfidence: z.number().min(0).max(1).optional(),
  atLeast: version.optional(),
  task: taskId.optional(),
  /** A role: only what it would see as well. */
  as: z.string().min(1).max(64).optional(),
})

export const contextRequest = z.strictObject({
  user: userId,
  tokens: z.int().min(MIN_TOKENS).max(MAX_TOKENS).optional(),
  format: z.enum(FORMATS).optional(),
  stale: z.boolean().optional(),
  atLeast: version.optional(),
  task: taskId.optional(),
})

export const explainRequest = z.strictObject({
  user: userId,
  field: fieldName,
  task: taskId.optional(),
  course: z.boolean().optional(),
})
export const watchRequest = z.strictObject({ user: userId, fields: patterns, task: taskId.optional() })
export const unwatchRequest = z.strictObject({ watch: z.int() })
export const userRequest = z.strictObject({ user: userId })
export const exportRequest = z.strictObject({ user: userId, format: z.enum(EXPORT_FORMATS).optional() })
export const aliasRequest = z.strictObject({ user: userId, alias: userId })
const time = z.number().min(0)
export const auditRequest = z.strictObject({
  user: userId,
  from: time.optional(),
  to: time.optional(),
  kind: z.enum(AUDIT_KINDS).optional(),
  agent: userId.optional(),
  limit: z.int().min(1).max(200).optional(),
  cursor: version.optional(),
})
export const linkRequest = z.strictObject({ code: z.string().min(1).max(2_048) })
export const emptyRequest = z.strictObject({})

export const revokeRequest = z
  .strictObject({ token: z.string().min(1).max(128).optional(), agent: userId.optional() })
  .refine(given => given.token !== undefined || given.agent !== undefined, { error: 'expected `token` or `agent`' })

export type ObserveRequest = z.infer<typeof observeRequest>
export type CorrectRequest = z.infer<typeof correctRequest>
export type RetractRequest = z.infer<typeof retractRequest>
export type ModelRequest = z.infer<typeof modelRequest>
export type ContextRequest = z.infer<typeof contextRequest>
export type ExplainRequest = z.infer<typeof explainRequest>
export type WatchRequest = z.infer<typeof watchRequest>
export type ExportRequest = z.infer<typeof exportRequest>
export type AliasRequest = z.infer<typeof aliasRequest>
export type AuditRequest = z.infer<typeof auditRequest>
export type RevokeRequest = z.infer<typeof revokeRequest>

export function parse<T>(shape: z.ZodType<T>, input: unknown): T {
  const parsed = shape.safeParse(input)
  if (parsed.success) return parsed.data
  const details = detailsOf(parsed.error)
  const [first] = details
  throw new SelfsameError({
    code: 'bad_request',
    message: `${first?.path || 'the request'}: ${first?.message}`,
    details,
  })
}
