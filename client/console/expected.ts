import type { Json } from '../../model/value.ts'
import type { Input } from './ask.tsx'
import { titleOf } from './wording.ts'

/** The parts of a JSON Schema that a form can be made of. */
interface Schema {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly Json[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const YES_OR_NO = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

/** What is expected of a result, as inputs: one for each property, or one for all where it is no plain object. */
export function inputsFor(expected: Json): Input[] {
  if (expected === null) return [{ name: 'summary', label: 'Outcome', kind: 'text' }]
  const schema = expected as unknown as Schema
  if (!schema.properties) return [inputOf('result', schema, true)]
  return Object.entries(schema.properties).map(([name, property]) =>
    inputOf(name, property, schema.required?.includes(name) ?? false),
  )
}

function inputOf(name: string, schema: Schema, isRequired: boolean): Input {
  const own = { name, label: schema.title ?? titleOf(name), optional: !isRequired }
  const hint = schema.description === undefined ? {} : { hint: schema.description }
  if (schema.enum) {
    const options = schema.enum.map(value => ({ value: JSON.stringify(value), label: String(value) }))
    return { ...own, ...hint, kind: 'choice', options: isRequired ? options : [NOTHING, ...options] }
  }
  if (schema.type === 'boolean')
    return { ...own, ...hint, kind: 'choice', options: isRequired ? YES_OR_NO : [NOTHING, ...YES_OR_NO] }
  if (schema.type === 'number' || schema.type === 'integer') return { ...own, ...hint, kind: 'number' }
  if (schema.type === 'string') return { ...own, ...hint, kind: 'line' }
  return { ...own, kind: 'text', hint: 'As JSON.' }
}

const NOTHING = { value: '', label: '—' }

/** The answers as a result of the kind that is expected; what was left empty is left out. */
export function resultFrom(expected: Json, answers: Readonly<Record<string, string>>): Json {
  if (expected === null) return { summary: answers['summary'] ?? '' }
  const schema = expected as unknown as Schema
  if (!schema.properties) return readValue(schema, answers['result'] ?? '')
  const given = Object.entries(schema.properties).filter(([name]) => (answers[name] ?? '') !== '')
  return Object.fromEntries(given.map(([name, property]) => [name, readValue(property, answers[name] ?? '')]))
}

function readValue(schema: Schema, text: string): Json {
  if (schema.enum) return JSON.parse(text)
  if (schema.type === 'string') return text
  if (schema.type === 'number' || schema.type === 'integer') return Number(text)
  return JSON.parse(text)
}
