import { z } from 'zod'
import { isId } from '../name.ts'

/** An agent in its role, as handoffs name it. */
export interface Party {
  readonly agent: string
  readonly role: string
}

/** Whom work is offered to: anyone of a role, or one agent in it. */
export interface Target {
  readonly role: string
  readonly agent?: string | undefined
}

const agent = z.string().refine(isId, { error: 'expected 1 to 128 letters, digits or any of _ . : ~ -' })
const role = z.string().min(1).max(64)

/** `"billing"`, or `{ role: "billing", agent: "ben" }`. */
export const targetShape = z
  .union([role, z.strictObject({ role, agent: agent.optional() })])
  .transform((given): Target => (typeof given === 'string' ? { role: given } : given))

export const meets = (target: Target, party: Party): boolean =>
  target.role === party.role && (target.agent === undefined || target.agent === party.agent)
