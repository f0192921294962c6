import { z } from 'zod'
import { BASES, type Basis, detailsOf } from './definition.ts'
import { type Code, ok, type Result, refuse } from './error.ts'
import { isId } from './name.ts'

export const MAX_WHY = 1_000
const MAX_ELEMENTS = 100

const id = z.string().refine(isId, { error: 'expected 1 to 128 letters, digits or any of _ . : ~ -' })
const time = z.union([z.int().min(0), z.iso.datetime({ offset: true })], {
  error: 'expected milliseconds since 1970 or an ISO 8601 time with an offset',
})

/** What an agent sends. `null` counts as left out, so that a language model's strict output can be passed on as it is. */
export const observationShape = z.strictObject({
  field: z.string(),
  value: z.unknown(),
  not: z.boolean().nullish(),
  confidence: z.number().gt(0).max(1).nullish(),
  basis: z.enum(BASES).nullish(),
  at: time.nullish(),
  interaction: id.nullish(),
  task: id.nullish(),
  source: id.nullish(),
  why: z.string().max(MAX_WHY).nullish(),
  id: id.nullish(),
})

export interface Observation {
  readonly field: string
  /** One value, or several elements of a set. */
  readonly value: unknown
  readonly not: boolean
  readonly confidence: number | undefined
  readonly basis: Basis
  readonly at: number | undefined
  readonly interaction: string | undefined
  readonly task: string | undefined
  readonly source: string | undefined
  readonly why: string | undefined
  readonly id: string | undefined
}

const CODE_OF: Partial<Record<PropertyKey, Code>> = {
  confidence: 'bad_confidence',
  at: 'bad_time',
  interaction: 'bad_id',
  task: 'bad_id',
  source: 'bad_id',
  id: 'bad_id',
}

export function parseObservation(input: unknown): Result<Observation> {
  const parsed = attempt(() => observationShape.safeParse(input))
  if (!parsed) return refuse('bad_request', 'The observation could not be read as plain JSON data.')
  if (!parsed.success) return refusalOf(parsed.error)
  const given = parsed.data
  const value = attempt(() => ({ read: Array.isArray(given.value) ? elementsOf(given.value) : given.value }))
  if (!value) return refuse('bad_value', 'The value could not be read as plain JSON data.')
  if (value.read === TOO_MANY) return refuse('value_too_large', `At most ${MAX_ELEMENTS} elements in one observation.`)
  const at = timeOf(given.at)
  if (at !== undefined && !(at >= 0)) return refuse('bad_time', '`at` lies before 1970 or is not a time.')
  return ok({
    field: given.field,
    value: value.read,
    not: given.not ?? false,
    confidence: given.confidence ?? undefined,
    basis: given.basis ?? 'inferred',
    at,
    interaction: given.interaction ?? undefined,
    task: given.task ?? undefined,
    source: given.source ?? undefined,
    why: given.why ?? undefined,
    id: given.id ?? undefined,
  })
}

const TOO_MANY = Symbol('too many elements')

/** Each element is read once, here: an array may be a proxy that answers differently, or throws, the next time. */
const elementsOf = (list: readonly unknown[]): unknown[] | typeof TOO_MANY =>
  list.length > MAX_ELEMENTS ? TOO_MANY : Array.from({ length: list.length }, (_, i) => list[i])

export const retractionShape = z
  .strictObject({
    agent: id.nullish(),
    interaction: id.nullish(),
    source: id.nullish(),
    field: z.string().nullish(),
    why: z.string().max(MAX_WHY).nullish(),
    id: id.nullish(),
  })
  .refine(given => given.agent ?? given.interaction ?? given.source ?? given.field, {
    error: 'expected at least one of agent, interaction, source, field',
  })

export type RetractionRequest = z.infer<typeof retractionShape>

export function parseRetraction(input: unknown): Result<RetractionRequest> {
  const parsed = attempt(() => retractionShape.safeParse(input))
  if (!parsed) return refuse('bad_request', 'The retraction could not be read as plain JSON data.')
  return parsed.success ? ok(parsed.data) : refusalOf(parsed.error)
}

const refusalOf = (error: z.ZodError): Result<never> => {
  const details = detailsOf(error)
  const [first] = details
  const code = CODE_OF[error.issues[0]?.path[0] ?? ''] ?? 'bad_request'
  return refuse(code, `${first?.path || 'the input'}: ${first?.message}`, details)
}

const timeOf = (at: number | string | null | undefined): number | undefined => {
  if (at === null || at === undefined) return undefined
  return typeof at === 'number' ? at : Date.parse(at)
}

/** A hostile getter may throw while the input is read; that is bad input, not a fault of ours. */
const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
