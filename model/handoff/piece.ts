import { z } from 'zod'
import { isFieldName, isId } from '../name.ts'
import type { Party } from './party.ts'

/** The pieces that open work is made of. Each may name fields it speaks of: who can't read all of them does not see it. */

const MAX_TEXT = 4_000
const MAX_LIST = 32
const text = z.string().trim().min(1).max(MAX_TEXT)
const field = z.string().refine(isFieldName, { error: 'expected a field name such as "need.issue"' })
const id = z.string().refine(isId, { error: 'expected 1 to 128 letters, digits or any of _ . : ~ -' })
const share = z.number().min(0).max(1)
export const tags = z.array(field).max(MAX_LIST)
const tagged = { id: id.optional(), fields: tags.optional() }

export const threadShape = z.strictObject({
  ...tagged,
  goal: text.optional(),
  status: z.enum(['open', 'waiting', 'blocked', 'done', 'dropped']).optional(),
  approach: text.optional(),
  assumptions: z.array(text).max(MAX_LIST).optional(),
  /** What was tried and did not work. They add up. */
  deadEnds: z.array(text).max(MAX_LIST).optional(),
  urgency: share.optional(),
  fragility: share.optional(),
  /** Beliefs that matter to it, and why. */
  links: z
    .array(z.strictObject({ field, why: text }))
    .max(MAX_LIST)
    .optional(),
})

export const validationShape = z.strictObject({
  ...tagged,
  what: text.optional(),
  status: z.enum(['pending', 'confirmed', 'refuted']).optional(),
  due: z.int().min(0).optional(),
})

export const noteShape = z.strictObject({ ...tagged, text })
export const agreementShape = z.strictObject({ ...tagged, text })
export const decisionShape = z.strictObject({ ...tagged, what: text, why: text })

export type ThreadGiven = z.infer<typeof threadShape>
export type ValidationGiven = z.infer<typeof validationShape>
export type NoteGiven = z.infer<typeof noteShape>
export type AgreementGiven = z.infer<typeof agreementShape>
export type DecisionGiven = z.infer<typeof decisionShape>

export interface Piece {
  readonly id: string
  readonly fields: readonly string[]
  readonly by: Party
  /** When it was first said, and when last. */
  readonly at: number
  readonly updated: number
}

export interface Thread extends Piece {
  readonly goal: string
  readonly status: 'open' | 'waiting' | 'blocked' | 'done' | 'dropped'
  readonly approach: string
  readonly assumptions: readonly string[]
  readonly deadEnds: readonly string[]
  readonly urgency: number
  readonly fragility: number
  readonly links: readonly Link[]
}

export interface Link {
  readonly field: string
  readonly why: string
}

export interface Validation extends Piece {
  readonly what: string
  readonly status: 'pending' | 'confirmed' | 'refuted'
  readonly due: number | null
}

export interface Note extends Piece {
  readonly text: string
}

export interface Agreement extends Piece {
  readonly text: string
}

export interface Decision extends Piece {
  readonly what: string
  readonly why: string
}
