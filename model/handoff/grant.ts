import { z } from 'zod'
import { isPattern } from '../pattern.ts'
import type { Role } from '../role.ts'
import type { Json } from '../value.ts'

/** A bounded, expiring authority made by a handoff. What it leaves open is the receiver's role; it can add nothing. */
export interface Grant {
  /** Patterns of fields; null leaves all of the role's. */
  readonly fields: readonly string[] | null
  /** Actions by name, with what their parameters may be; null leaves all of the role's. */
  readonly actions: Actions | null
  /** On whose behalf it is used. */
  readonly principal: string
  readonly expires: number
  readonly by: string
  readonly revoked?: number | undefined
}

export interface Actions {
  readonly [action: string]: Bounds
}

export interface Bounds {
  readonly [parameter: string]: Bound
}

export interface Bound {
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly oneOf?: readonly (string | number | boolean)[] | undefined
}

const name = z.string().min(1).max(64)
const bound = z.strictObject({
  min: z.number().optional(),
  max: z.number().optional(),
  oneOf: z
    .array(z.union([z.string().max(200), z.number(), z.boolean()]))
    .max(50)
    .optional(),
})

/** What a sender names of a grant; the rest follows from its own. */
export const grantShape = z.strictObject({
  fields: z
    .array(z.string().refine(isPattern, { error: 'expected a field pattern such as "need.*"' }))
    .min(1)
    .max(100)
    .optional(),
  actions: z.record(name, z.record(name, bound)).optional(),
  principal: z.string().min(1).max(128).optional(),
  /** Milliseconds from now on. */
  ttl: z.int().min(1).optional(),
})

export type GrantRequest = z.infer<typeof grantShape>

export const isLive = (grant: Grant, now: number): boolean => grant.revoked === undefined && grant.expires > now

export type Permission = { readonly allowed: true } | { readonly allowed: false; readonly reason: string }

/** Whether a grant lets an agent of a role do something now. */
export function may(
  grant: Grant,
  role: Role,
  action: string,
  parameters: Readonly<Record<string, Json>>,
  now: number,
): Permission {
  if (!isLive(grant, now)) return no('The grant has ended.')
  const bounds = grant.actions === null ? {} : own(grant.actions, action)
  if (!role.actions.includes(action) || !bounds) return no(`"${action}" is not granted.`)
  for (const [parameter, each] of Object.entries(bounds)) {
    const reason = outside(parameter, each, own(parameters, parameter))
    if (reason !== undefined) return no(reason)
  }
  return { allowed: true }
}

const no = (reason: string): Permission => ({ allowed: false, reason })

const own = <T>(record: { readonly [key: string]: T }, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** A parameter that is bounded has to be there: what is not said can't be within bounds. */
function outside(parameter: string, { min, max, oneOf }: Bound, value: Json | undefined): string | undefined {
  if (value === undefined) return `"${parameter}" is bounded and has to be given.`
  if ((min !== undefined || max !== undefined) && typeof value !== 'number') return `"${parameter}" has to be a number.`
  if (min !== undefined && Number(value) < min) return `"${parameter}" is below ${min}.`
  if (max !== undefined && Number(value) > max) return `"${parameter}" is above ${max}.`
  if (oneOf && !oneOf.some(each => each === value)) return `"${parameter}" is none of: ${oneOf.join(', ')}.`
  return undefined
}
