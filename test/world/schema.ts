import fc from 'fast-check'
import type { FieldDefinition, Kind, ModelDefinition } from '../../model/definition.ts'
import { unwrap } from '../../model/error.ts'
import { parseModel, type Schema } from '../../model/schema.ts'

export const KINDS: readonly Kind[] = ['choice', 'flag', 'set', 'number', 'text', 'record']
export const FUSED: readonly Kind[] = ['choice', 'flag', 'set', 'number']

/** Names that fields of a generated schema are spoken of by, and the field or family that each belongs to. */
const NAMES = [
  ['need.issue', 'need.issue'],
  ['emotion.state', 'emotion.state'],
  ['billing.plan', 'billing.plan'],
  ['order.A17.status', 'order.*.status'],
] as const

/** Short ones beside long waits, so that eras pass; `never` beside both. */
const halfLife = fc.constantFrom('never', '1h', '2h', '1d', '30d', '90d')
const hold = fc.constantFrom(undefined, undefined, '0s', '1h', '3d', '30d', 'never')

const common = fc.record(
  {
    halfLife,
    hold,
    contested: fc.constantFrom<(number | 'never' | undefined)[]>(undefined, 0.25, 1, 'never'),
    task: fc.constantFrom<(number | 'default' | undefined)[]>(undefined, undefined, 'default', 0, 0.41, 1),
    sensitivity: fc.constantFrom<('normal' | 'personal' | 'secret')[]>('normal', 'personal', 'secret'),
    pinned: fc.boolean(),
  },
  { noNullPrototype: true },
)

type Common = typeof common extends fc.Arbitrary<infer T> ? T : never

function definition(kind: Kind, tolerance: number, listed: boolean, given: Common): FieldDefinition {
  const { task } = given
  const shared = {
    halfLife: given.halfLife,
    ...(given.hold !== undefined && { hold: given.hold }),
    ...(given.contested !== undefined && { contested: given.contested }),
    ...(task !== undefined && { binding: 'task' as const }),
    ...(typeof task === 'number' && { carry: task }),
    sensitivity: given.sensitivity,
    pinned: given.pinned,
  }
  switch (kind) {
    case 'choice':
      return { kind, ...shared, ...(listed && { values: ['a', 'b', 'c'] }) }
    case 'set':
      return { kind, ...shared, ...(listed && { values: ['x', 'y', 'z'] }) }
    case 'number':
      return { kind, ...shared, tolerance }
    case 'flag':
    case 'text':
    case 'record':
      return { kind, ...shared }
  }
}

const field = (kinds: readonly Kind[]): fc.Arbitrary<FieldDefinition> =>
  fc
    .tuple(fc.constantFrom(...kinds), fc.constantFrom(0, 0.5, 1), fc.boolean(), common)
    .map(([kind, tolerance, listed, given]) => definition(kind, tolerance, listed, given))

/** Roles of every authority that may all speak of every field, and readers that may not see all of it. */
const ROLES: ModelDefinition['roles'] = {
  agent: { read: ['**'], write: ['**'], trust: 1, handsTo: ['human'] },
  human: { authority: 'human', reach: 'all', read: ['**'], write: ['**'], confidence: { inferred: 0.8 } },
  subject: { authority: 'subject', reach: 'self', read: ['**'], write: ['**'] },
  narrow: { read: ['**', '!emotion.**', '!order.*.status'], write: ['need.*'] },
  orders: { read: ['order.**', 'need.issue'], write: ['order.*.*'] },
}

export interface Sampled {
  readonly schema: Schema
  /** What a failing law prints. */
  readonly [fc.toStringMethod]: () => string
  /** Concrete names of its fields, families by a member. */
  readonly names: readonly string[]
}

/** A schema of a few fields of the kinds given. */
export const schemas = (kinds: readonly Kind[] = KINDS, fields = 3): fc.Arbitrary<Sampled> =>
  fc.array(field(kinds), { minLength: 1, maxLength: fields }).map(definitions => sampled(definitions))

export function sampled(definitions: readonly FieldDefinition[]): Sampled {
  const used = NAMES.slice(0, definitions.length)
  const fields = Object.fromEntries(used.map(([, family], i) => [family, definitions[i] as FieldDefinition]))
  const touched = (pattern: string) =>
    used.length >= (pattern.includes('order') ? 4 : pattern.includes('emotion') ? 2 : 1)
  const roles = Object.fromEntries(
    Object.entries(ROLES).map(([name, role]) => [
      name,
      { ...role, read: role.read.filter(touched), write: role.write.filter(touched) },
    ]),
  )
  const settings = { idle: '30m', late: '3d', skew: '30s' }
  return {
    schema: unwrap(parseModel({ fields, roles, settings })),
    names: used.map(([name]) => name),
    [fc.toStringMethod]: () => JSON.stringify(fields),
  }
}
