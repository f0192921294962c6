import type { Json } from '../../model/value.ts'
import type { FieldSeen } from '../../model/wire/schema-seen.ts'
import type { Desk } from '../index.ts'
import type { Input } from './ask.tsx'

/** What the schema says of a field, also of one of a family: `order.1042.status` is of `order.*.status`. */
export function fieldSeen(desk: Desk, field: string): FieldSeen | undefined {
  const { fields } = desk.schema
  const parts = field.split('.')
  const isOf = (name: string) => {
    const pattern = name.split('.')
    return pattern.length === parts.length && pattern.every((part, i) => part === '*' || part === parts[i])
  }
  return fields[field] ?? Object.entries(fields).find(([name]) => isOf(name))?.[1]
}

/** How a person enters a value of a field. */
export function inputFor(seen: FieldSeen, value: Json): Input {
  const own = { name: 'value', label: 'It is' }
  if (seen.kind === 'flag') return { ...own, kind: 'choice', value: String(value), options: [yes, no] }
  if (seen.kind === 'choice' && seen.values)
    return {
      ...own,
      kind: 'choice',
      value: String(value ?? ''),
      options: seen.values.map(each => ({ value: each, label: each })),
    }
  if (seen.kind === 'number') return { ...own, kind: 'number', value: value === null ? '' : String(value) }
  if (seen.kind === 'set')
    return { ...own, kind: 'line', value: Array.isArray(value) ? value.join(', ') : '', hint: 'Separated by commas.' }
  if (seen.kind === 'record')
    return { ...own, kind: 'text', value: value === null ? '' : JSON.stringify(value, null, 2), hint: 'As JSON.' }
  return { ...own, kind: seen.kind === 'text' ? 'text' : 'line', value: value === null ? '' : String(value) }
}

const yes = { value: 'true', label: 'Yes' }
const no = { value: 'false', label: 'No' }

export function valueFrom(seen: FieldSeen, text: string): Json {
  switch (seen.kind) {
    case 'flag':
      return text === 'true'
    case 'number':
      return Number(text)
    case 'set':
      return text.split(',').flatMap(each => each.trim() || [])
    case 'record':
      return JSON.parse(text)
    default:
      return text
  }
}
