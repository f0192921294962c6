import { z } from 'zod'
import { CODES, type Code } from '../../../model/error.ts'

/** What the server answers, read strictly enough that an answer of another shape fails the test that reads it. */

const codes = z.enum(Object.keys(CODES) as [Code, ...Code[]])

const refusal = z.strictObject({
  code: codes,
  message: z.string().min(1),
  details: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
})

export const refused = z.strictObject({ error: refusal })

export const outcomes = z.strictObject({
  version: z.string(),
  outcomes: z.array(
    z.strictObject({ id: z.string(), status: z.enum(['admitted', 'refused', 'echo']), error: refusal.optional() }),
  ),
})

const belief = z.strictObject({
  value: z.json(),
  confidence: z.number(),
  uncertainty: z.number(),
  status: z.enum(['fresh', 'fading', 'stale']),
  contested: z.boolean(),
  alternatives: z.array(z.strictObject({ value: z.json(), confidence: z.number(), held: z.number() })),
  denied: z.array(z.json()),
  lastSeen: z.number(),
  evidence: z.number(),
  spread: z.number().optional(),
  elements: z.array(z.json()).optional(),
})

const read = { user: z.string(), version: z.string(), asOf: z.number() }

export const model = z.strictObject({ ...read, beliefs: z.record(z.string(), belief) })

export const explanation = z.strictObject({
  ...read,
  field: z.string(),
  belief: belief.nullable(),
  words: z.array(
    z.strictObject({
      id: z.string(),
      agent: z.string(),
      value: z.json(),
      not: z.boolean(),
      standing: z.enum(['counted', 'held', 'void', 'echo', 'superseded', 'retracted']),
      reason: z.string(),
      by: z.string().optional(),
      share: z.number(),
      at: z.number(),
      interaction: z.string(),
      confidence: z.number().optional(),
      trust: z.number().optional(),
      basis: z.string().optional(),
      role: z.string().optional(),
      task: z.string().optional(),
      source: z.string().optional(),
      why: z.string().optional(),
      origin: z.string().optional(),
      words: z.number().optional(),
    }),
  ),
})

export const columns = z.object({ ...read, columns: z.looseObject({ field: z.array(z.string()) }) })

export const ticket = z.strictObject({ ticket: z.string().min(20), expires: z.number() })

export type Outcomes = z.infer<typeof outcomes>
export type Model = z.infer<typeof model>
