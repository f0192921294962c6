import { pathOf } from './definition.ts'
import type { Detail } from './error.ts'
import { isReserved } from './name.ts'

/** What a definition is made of may nest this deep and hold this many parts: ten times what the largest needs. */
const MAX_DEPTH = 32
const MAX_PARTS = 200_000

type Read = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly details: readonly Detail[] }

/**
 * A plain copy of a definition, or what in it is no JSON data. Names that JavaScript gives a meaning are named with their
 * path: a check of the shape alone would pass over `__proto__` in silence.
 */
export function plainDefinition(input: unknown): Read {
  const reader = { parts: 0, details: [] as Detail[] }
  try {
    const value = copy(input, [], reader)
    return reader.details.length > 0 ? { ok: false, details: reader.details } : { ok: true, value }
  } catch {
    // A getter or proxy that throws: not data.
    return { ok: false, details: [{ path: '', message: 'could not be read as plain JSON data' }] }
  }
}

interface Reader {
  parts: number
  readonly details: Detail[]
}

function copy(input: unknown, path: readonly PropertyKey[], reader: Reader): unknown {
  const complain = (message: string) => reader.details.push({ path: pathOf(path), message })
  if (typeof input === 'bigint' || typeof input === 'function' || typeof input === 'symbol')
    return complain(`expected JSON data, not a ${typeof input}`)
  if (input === null || typeof input !== 'object') return input
  if (path.length > MAX_DEPTH) return complain(`nests deeper than ${MAX_DEPTH} levels`)
  reader.parts += 1
  if (reader.parts > MAX_PARTS) return reader.parts === MAX_PARTS + 1 && complain(`holds more than ${MAX_PARTS} parts`)
  if (Array.isArray(input)) return copyArray(input, path, reader)
  return copyObject(input, path, reader)
}

function copyArray(input: readonly unknown[], path: readonly PropertyKey[], reader: Reader): unknown {
  if (input.length <= MAX_PARTS)
    return Array.from({ length: input.length }, (_, i) => copy(input[i], [...path, i], reader))
  reader.details.push({ path: pathOf(path), message: `holds more than ${MAX_PARTS} parts` })
  return undefined
}

function copyObject(input: object, path: readonly PropertyKey[], reader: Reader): unknown {
  const prototype: unknown = Object.getPrototypeOf(input)
  if (prototype !== Object.prototype && prototype !== null) {
    reader.details.push({ path: pathOf(path), message: 'expected a plain object, not an instance of a class' })
    return undefined
  }
  const output: Record<string, unknown> = {}
  for (const key of Object.keys(input)) {
    const here = [...path, key]
    if (isReserved(key)) reader.details.push({ path: pathOf(here), message: `"${key}" can't be a name` })
    else output[key] = copy((input as Record<string, unknown>)[key], here, reader)
  }
  return output
}
