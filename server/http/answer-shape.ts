import { z } from '@hono/zod-openapi'
import { CODES, type Code } from '../../model/error.ts'
import { observationShape, retractionShape } from '../../model/observation.ts'
import { AUDIT_KINDS } from '../../model/wire/audit.ts'
import { correctRequest, observeRequest } from '../operation/request.ts'

/** What goes in and out over HTTP, as the OpenAPI document tells it. */

const codes = Object.keys(CODES) as [Code, ...Code[]]

export const refusalShape = z
  .object({
    error: z.object({
      code: z.enum(codes),
      message: z.string(),
      details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  })
  .openapi('Refusal', {
    description: Object.entries(CODES)
      .map(([code, text]) => `- \`${code}\`: ${text}`)
      .join('\n'),
  })

const status = z.enum(['fresh', 'fading', 'stale'])

const beliefShape = z
  .object({
    value: z.any().openapi({ description: 'null when nothing is believed, only denied or held back' }),
    confidence: z.number(),
    uncertainty: z.number(),
    status,
    contested: z.boolean(),
    alternatives: z.array(z.object({ value: z.any(), confidence: z.number(), held: z.number() })),
    denied: z.array(z.any()),
    lastSeen: z.number().openapi({ description: 'milliseconds since 1970' }),
    evidence: z.number(),
    spread: z.number().optional(),
    elements: z.array(z.any()).optional(),
  })
  .openapi('Belief')

const read = { user: z.string(), version: z.string(), asOf: z.number() }

export const modelShape = z.object({ ...read, beliefs: z.record(z.string(), beliefShape) }).openapi('Model')

export const contextShape = z
  .object({
    ...read,
    format: z.enum(['markdown', 'json']),
    text: z.string().optional(),
    context: z.any().optional(),
    tokens: z.number(),
    trimmed: z.array(z.object({ field: z.string(), reason: z.enum(['budget', 'stale']) })),
  })
  .openapi('Context')

export const explanationShape = z
  .object({
    ...read,
    field: z.string(),
    belief: beliefShape.nullable(),
    words: z.array(
      z.object({
        id: z.string(),
        agent: z.string(),
        value: z.any(),
        not: z.boolean(),
        standing: z.enum(['counted', 'held', 'void', 'echo', 'superseded', 'retracted']),
        reason: z.string(),
        by: z.string().optional(),
        share: z.number(),
        at: z.number(),
        origin: z.string().optional().openapi({ description: 'the other name of the user that it was said under' }),
      }),
    ),
    course: z
      .array(z.object({ at: z.number(), value: z.any(), confidence: z.number() }))
      .optional()
      .openapi({ description: 'with `course=true`: what was believed over time, and how it will fade' }),
  })
  .openapi('Explanation')

export const outcomesShape = z
  .object({
    version: z.string(),
    outcomes: z.array(
      z.object({
        id: z.string(),
        status: z.enum(['admitted', 'refused', 'echo']),
        error: refusalShape.shape.error.optional(),
      }),
    ),
  })
  .openapi('Outcomes')

export const observeBody = observeRequest
  .omit({ user: true })
  .extend({ observations: z.array(observationShape) })
  .openapi('Observations')
export const correctBody = correctRequest
  .omit({ user: true })
  .extend({ corrections: z.array(observationShape) })
  .openapi('Corrections')
export const retractBody = z.object(retractionShape.shape).openapi('Retraction')
export const linkShape = z.object({ token: z.string(), expires: z.number() }).openapi('SignedIn')
export const ticketShape = z.object({ ticket: z.string(), expires: z.number() }).openapi('Ticket')
export const schemaSeenShape = z
  .object({
    name: z.string(),
    role: z.any(),
    fields: z.record(z.string(), z.any()),
    tool: z.any(),
    definition: z.any(),
  })
  .openapi('SchemaSeen')
export const auditShape = z
  .object({
    user: z.string(),
    entries: z.array(
      z.object({
        id: z.string(),
        at: z.number(),
        kind: z.enum(AUDIT_KINDS),
        agent: z.string().optional(),
        role: z.string().optional(),
        what: z.string().optional(),
        fields: z.array(z.string()).optional(),
        handoff: z.string().optional(),
        code: z.string().optional(),
        expires: z.number().optional(),
        count: z.number().optional(),
      }),
    ),
    next: z.string().optional().openapi({ description: 'where to go on, as `cursor`' }),
  })
  .openapi('Audit')
export const erasedShape = z.object({ user: z.string(), erased: z.literal(true) }).openapi('Erased')
const kept = {
  evidence: z.array(z.any()),
  papers: z.record(z.string(), z.any()).optional(),
  audit: z.array(z.any()).optional(),
  cut: z.array(z.enum(['papers', 'audit'])).optional(),
}
export const exportShape = z
  .object({
    user: z.string(),
    ...kept,
    aliases: z.array(z.object({ alias: z.string(), by: z.string(), at: z.number(), ...kept })).optional(),
  })
  .openapi('Export')
export const aliasesShape = z
  .object({
    user: z.string(),
    aliases: z.array(z.object({ alias: z.string(), by: z.string(), at: z.number() })),
    account: z.string().optional().openapi({ description: 'when this user is itself another name of one' }),
  })
  .openapi('Aliases')
