import { ok, type Result, refuse } from './error.ts'
import { isReserved } from './name.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export const MAX_VALUE_CHARS = 16_384
export const MAX_VALUE_DEPTH = 8

/**
 * A plain copy of what came in, or why it is none. It visits at most MAX_VALUE_CHARS nodes and MAX_VALUE_DEPTH levels,
 * whatever the size of the input, so hostile input costs no more than the largest honest one.
 */
export function plain(input: unknown): Result<Json> {
  const budget = { left: MAX_VALUE_CHARS }
  try {
    return copy(input, 0, budget)
  } catch {
    // A getter or proxy that throws: not data.
    return refuse('bad_value', 'The value could not be read as plain JSON data.')
  }
}

function copy(input: unknown, depth: number, budget: { left: number }): Result<Json> {
  budget.left -= typeof input === 'string' ? input.length + 1 : 1
  if (budget.left < 0) return refuse('value_too_large', `A value holds at most ${MAX_VALUE_CHARS} characters.`)
  if (depth > MAX_VALUE_DEPTH) return refuse('value_too_deep', `A record nests at most ${MAX_VALUE_DEPTH} levels.`)
  if (input === null || typeof input === 'boolean') return ok(input)
  if (typeof input === 'number') return copyNumber(input)
  if (typeof input === 'string')
    return input.isWellFormed() ? ok(input) : refuse('bad_value', 'The text holds half of a surrogate pair.')
  if (Array.isArray(input)) return copyArray(input, depth, budget)
  if (typeof input === 'object') return copyObject(input, depth, budget)
  return refuse('bad_value', `A value is JSON data, not ${typeof input}.`)
}

const copyNumber = (input: number): Result<Json> =>
  Number.isFinite(input) ? ok(input === 0 ? 0 : input) : refuse('bad_value', `A number is finite, not ${input}.`)

function copyArray(input: readonly unknown[], depth: number, budget: { left: number }): Result<Json> {
  const output: Json[] = []
  for (const item of input) {
    const copied = copy(item, depth + 1, budget)
    if (!copied.ok) return copied
    output.push(copied.value)
  }
  return ok(output)
}

function copyObject(input: object, depth: number, budget: { left: number }): Result<Json> {
  const prototype: unknown = Object.getPrototypeOf(input)
  if (prototype !== Object.prototype && prototype !== null)
    return refuse('bad_value', 'A record is a plain object, not an instance of a class.')
  const output: { [key: string]: Json } = {}
  for (const [key, item] of Object.entries(input)) {
    if (isReserved(key)) return refuse('bad_value', `A record may not have a key named "${key}".`)
    if (!key.isWellFormed()) return refuse('bad_value', 'A key holds half of a surrogate pair.')
    budget.left -= key.length
    const copied = copy(item, depth + 1, budget)
    if (!copied.ok) return copied
    output[key] = copied.value
  }
  return ok(output)
}

/** One text per value, equal exactly when the values are: keys sorted, `{"b":1,"a":2}` and `{"a":2,"b":1}` alike. */
export function keyOf(value: Json): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return String(value)
  return canonical(value)
}

function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const entries = Object.keys(value).sort()
  return `{${entries.map(key => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`).join(',')}}`
}
