import type { Pack, Sum, Word } from './evidence.ts'
import type { Field } from './field.ts'
import { belongs } from './pattern.ts'
import type { Schema } from './schema.ts'
import type { Json } from './value.ts'

/** Evidence under the schema of today: the field it counts for and the value it means there, or why it counts nowhere. */
export type Interpretation<E extends Word | Pack | Sum = Word | Pack | Sum> =
  | { readonly fits: true; readonly field: Field; readonly evidence: E }
  | { readonly fits: false; readonly reason: string }

/**
 * Schemas change, evidence does not. What was said under an earlier schema is read through renames of fields (`was`) and
 * values (`wasValues`), and converted where the new kind can hold the same thing. What does not fit is kept, not counted.
 */
export function interpret<E extends Word | Pack | Sum>(schema: Schema, evidence: E): Interpretation<E> {
  const name = nameNow(schema, evidence.field)
  const field = name === undefined ? undefined : schema.field(name)
  if (name === undefined || !field) return { fits: false, reason: `no field ${evidence.field}` }
  const said = { value: evidence.value, not: evidence.not === true }
  const now = convert(field, said)
  const checked = field.check(now.value)
  if (!checked.ok) return { fits: false, reason: checked.error.message }
  if (evidence.type === 'sum' && field.taskBound)
    return { fits: false, reason: 'summed when the field was not bound to tasks' }
  if (name === evidence.field && now.value === evidence.value && now.not === said.not)
    return { fits: true, field, evidence }
  const { not: _, ...rest } = evidence
  return { fits: true, field, evidence: { ...rest, field: name, value: now.value, ...(now.not && { not: true }) } as E }
}

/** The name a field goes by today. `order.*.state` renamed to `orders.*.status` takes each order's name along. */
export function nameNow(schema: Schema, name: string): string | undefined {
  if (schema.field(name)) return name
  for (const field of schema.fields.values())
    for (const old of field.was) if (belongs(name, old)) return rename(name, old, field.name)
  return undefined
}

function rename(name: string, old: string, now: string): string {
  const oldSegments = old.split('.')
  const wild = name.split('.').filter((_, i) => oldSegments[i] === '*')
  return now
    .split('.')
    .map(segment => (segment === '*' ? (wild.shift() as string) : segment))
    .join('.')
}

interface Said {
  readonly value: Json
  readonly not: boolean
}

function convert(field: Field, { value, not }: Said): Said {
  const renamed =
    typeof value === 'string' && Object.hasOwn(field.wasValues, value) ? field.wasValues[value] : undefined
  const now = renamed ?? value
  switch (field.kind) {
    case 'choice':
    case 'text':
    case 'set':
      return { value: typeof now === 'boolean' || typeof now === 'number' ? String(now) : now, not }
    case 'flag': {
      const flag = now === 'true' ? true : now === 'false' ? false : now
      return not && typeof flag === 'boolean' ? { value: !flag, not: false } : { value: flag, not }
    }
    case 'number':
      return { value: typeof now === 'string' && String(Number(now)) === now ? Number(now) : now, not }
    case 'record':
      return { value: now, not }
  }
}
