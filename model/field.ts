import { z } from 'zod'
import type { FieldDefinition, Kind, Sensitivity } from './definition.ts'
import { detailsOf } from './definition.ts'
import { parseDuration } from './duration.ts'
import { ok, type Result, refuse } from './error.ts'
import { type Json, plain } from './value.ts'

/** A field or family of the schema, ready for use: defaults filled in, durations as milliseconds, values checkable. */
export interface Field {
  readonly name: string
  readonly kind: Kind
  readonly description: string
  /** The values of a choice or the elements of a set, in the order given; undefined when any short string will do. */
  readonly values: readonly string[] | undefined
  readonly schema: Readonly<Record<string, unknown>> | undefined
  readonly halfLife: number
  readonly hold: number
  readonly taskBound: boolean
  readonly carry: number
  readonly tolerance: number
  readonly sensitivity: Sensitivity
  /** Share of the top's weight from which another value contests it; Infinity for never. */
  readonly contested: number
  readonly pinned: boolean
  readonly was: readonly string[]
  readonly wasValues: Readonly<Record<string, string>>
  /** The value as it is kept, or why it does not fit. Of a set: one element. */
  readonly check: (value: unknown) => Result<Json>
}

export const MAX_SHORT = 200
const DEFAULT_HALF_LIFE = '30d'
const DEFAULT_CARRY = 0.4
const DEFAULT_CONTESTED = 0.5

export function compileField(name: string, definition: FieldDefinition): Field {
  const values = 'values' in definition ? definition.values : undefined
  const schema = 'schema' in definition ? definition.schema : undefined
  const halfLife = milliseconds(definition.halfLife ?? DEFAULT_HALF_LIFE)
  return {
    name,
    kind: definition.kind,
    description: definition.description ?? '',
    values,
    schema,
    halfLife,
    hold: definition.hold === undefined ? halfLife : milliseconds(definition.hold),
    taskBound: definition.binding === 'task',
    carry: definition.carry ?? DEFAULT_CARRY,
    tolerance: definition.kind === 'number' ? (definition.tolerance ?? 0) : 0,
    sensitivity: definition.sensitivity ?? 'normal',
    contested:
      definition.contested === 'never' ? Number.POSITIVE_INFINITY : (definition.contested ?? DEFAULT_CONTESTED),
    pinned: definition.pinned ?? false,
    was: definition.was === undefined ? [] : [definition.was].flat(),
    wasValues: ('wasValues' in definition ? definition.wasValues : undefined) ?? {},
    check: checkOf(definition.kind, values, schema),
  }
}

/** How many values a word could have named: decides what a wrong one costs in trust, and what ignorance is worth. */
export const possibilities = (field: Field): number => {
  if (field.kind === 'flag' || field.kind === 'set') return 2
  return field.values ? field.values.length : Number.POSITIVE_INFINITY
}

/** Words for one value add up. Of texts and records the last word stands alone. */
export const isFused = (field: Field): boolean => field.kind !== 'text' && field.kind !== 'record'

export const milliseconds = (text: string): number => {
  const ms = parseDuration(text)
  if (ms === undefined) throw new RangeError(`not a duration: ${text}`)
  return ms
}

function checkOf(kind: Kind, values: readonly string[] | undefined, schema: Field['schema']): Field['check'] {
  switch (kind) {
    case 'choice':
    case 'set':
      return values ? oneOf(values) : shortString
    case 'flag':
      return ofType('boolean', 'true or false')
    case 'number':
      return conforming(ofType('number', 'a finite number'), schema)
    case 'text':
      return conforming(ofType('string', 'a text'), schema)
    case 'record':
      return conforming(record, schema)
  }
}

const oneOf = (values: readonly string[]): Field['check'] => {
  const allowed = new Set<unknown>(values)
  return value =>
    allowed.has(value) ? ok(value as string) : refuse('bad_value', `Expected one of: ${values.join(', ')}.`)
}

const shortString: Field['check'] = value => {
  const copied = plain(value)
  if (!copied.ok) return copied
  if (typeof copied.value !== 'string' || copied.value.trim() === '')
    return refuse('bad_value', 'Expected a short string that is not blank.')
  if (copied.value.length > MAX_SHORT)
    return refuse('value_too_large', `Expected a string of at most ${MAX_SHORT} characters.`)
  return copied
}

const ofType =
  (type: 'boolean' | 'number' | 'string', expected: string): Field['check'] =>
  value => {
    const copied = plain(value)
    if (!copied.ok) return copied
    return typeof copied.value === type ? copied : refuse('bad_value', `Expected ${expected}.`)
  }

const record: Field['check'] = value => {
  const copied = plain(value)
  if (!copied.ok) return copied
  const isRecord = copied.value !== null && typeof copied.value === 'object' && !Array.isArray(copied.value)
  return isRecord ? copied : refuse('bad_value', 'Expected a record: a plain object.')
}

function conforming(check: Field['check'], schema: Field['schema']): Field['check'] {
  if (!schema) return check
  const validator = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  return value => {
    const checked = check(value)
    if (!checked.ok) return checked
    const parsed = validator.safeParse(checked.value)
    if (parsed.success) return checked
    const details = detailsOf(parsed.error)
    const first = details[0]
    return refuse(
      'bad_value',
      `The value does not satisfy the field's schema: ${first?.path} ${first?.message}`,
      details,
    )
  }
}
