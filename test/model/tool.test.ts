import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { admit, NOTHING_SERVED } from '../../model/admission.ts'
import { unwrap } from '../../model/error.ts'
import { desk } from '../../model/sample/desk.ts'
import { isFamily, parseModel, type Schema } from '../../model/schema.ts'
import { scopeOf } from '../../model/scope.ts'
import { law } from '../law.ts'
import { KINDS, sampled, schemas } from '../world/schema.ts'

/** As much of JSON Schema as a tool is made of. */
const shape = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  pattern: z.string().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  get properties() {
    return z.record(z.string(), shape).optional()
  },
})
type Shape = z.infer<typeof shape>

const toolShape = z.object({
  properties: z.object({ observations: z.object({ items: z.object({ anyOf: z.array(shape).optional() }) }) }),
})

const plainDesk: Schema = unwrap(parseModel(desk.definition))

const entries = (schema: Schema, role: string): readonly Shape[] =>
  toolShape.parse(schema.tool(role)).properties.observations.items.anyOf ?? []

const observations = (schema: Schema, role: string): fc.Arbitrary<unknown> => {
  const shapes = entries(schema, role)
  return shapes.length === 0 ? fc.constant(undefined) : fc.oneof(...shapes.map(instances))
}

const validators = new WeakMap<Schema, Map<string, z.ZodType>>()

const validatorOf = (schema: Schema, role: string): z.ZodType => {
  const known = validators.get(schema) ?? new Map<string, z.ZodType>()
  validators.set(schema, known)
  const validator = known.get(role) ?? z.fromJSONSchema(schema.tool(role) as Parameters<typeof z.fromJSONSchema>[0])
  known.set(role, validator)
  return validator
}

/** Names that no pattern without lookahead can leave out, and structured output takes none with it. */
const RESERVED = /__proto__|prototype|constructor/

/** Instances of the JSON Schemas that a tool is made of. */
function instances(shape: Shape): fc.Arbitrary<unknown> {
  const types = [shape.type ?? 'string'].flat()
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (shape.enum) return fc.constantFrom(...shape.enum)
  return fc.oneof(...types.map(type => ofType(type, shape)))
}

/** A record may not have a key that JavaScript gives a meaning; strict output has no way to say so. */
const key = fc.stringMatching(/^[a-z]{1,9}$/).filter(name => !RESERVED.test(name))

function ofType(type: string, shape: Shape): fc.Arbitrary<unknown> {
  const text = fc.string({ unit: 'grapheme', maxLength: Math.min(shape.maxLength ?? 100, 100) })
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'number':
      return shape.maximum === 1
        ? fc.constantFrom(Number.MIN_VALUE, 0.1, 1)
        : fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    case 'object':
      return shape.properties
        ? fc.record(Object.fromEntries(Object.entries(shape.properties).map(([key, item]) => [key, instances(item)])))
        : fc.dictionary(key, fc.oneof(text, fc.integer(), fc.boolean()))
    default:
      return shape.pattern === undefined
        ? text
        : fc
            .stringMatching(new RegExp(shape.pattern))
            .filter(
              matched =>
                matched.length <= (shape.maxLength ?? 100) && matched.isWellFormed() && !RESERVED.test(matched),
            )
  }
}

interface Case {
  readonly schema: Schema
  readonly role: string
  readonly input: unknown
}

const casesOf = (schema: Schema, role: string): fc.Arbitrary<Case> =>
  observations(schema, role).map(input => ({
    schema,
    role,
    input,
    [fc.toStringMethod]: () => `${role} ${JSON.stringify(input)}`,
  }))

const cases = fc.oneof(
  fc
    .tuple(schemas(KINDS, 4), fc.constantFrom('agent', 'human', 'subject', 'narrow'))
    .chain(([{ schema }, role]) => casesOf(schema, role)),
  ...['triage', 'billing', 'tech', 'human', 'subject'].map(role => casesOf(plainDesk, role)),
)

law('[TOOL-1] what the tool of a role accepts is admitted from that role', cases, ({ schema, role: name, input }) => {
  if (input === undefined) return
  expect(validatorOf(schema, name).safeParse({ observations: [input] }).success).toBe(true)
  const role = unwrap(schema.role(name))
  const stamp = { id: 'w1', received: 1e12, seq: 1, episode: 'e', served: NOTHING_SERVED }
  expect(admit(schema, { agent: 'a', role, trust: 1, scope: scopeOf(role) }, input, stamp)).toMatchObject({ ok: true })
})

const named = (entry: Shape): string => entry.properties?.['field']?.const ?? entry.properties?.['field']?.pattern ?? ''

test.each(['triage', 'billing', 'tech', 'human', 'supervisor', 'subject'] as const)(
  '[TOOL-2] the tool of %s names the fields it may write and no others',
  name => {
    const role = unwrap(desk.role(name))
    const fields = [...desk.fields.values()]
    const writable = fields.filter(field => role.write.coverage(field.name) !== 'none')
    expect(entries(plainDesk, name)).toHaveLength(writable.length)
    const text = JSON.stringify(desk.tool(name))
    for (const field of fields.filter(candidate => !isFamily(candidate)))
      expect(text.includes(`"${field.name}"`)).toBe(role.write.has(field.name))
  },
)

test('[TOOL-3] the tool has the shape that strict structured output asks for', () => {
  for (const entry of entries(plainDesk, 'triage')) {
    expect(entry).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: Object.keys(entry.properties ?? {}),
    })
    expect(named(entry)).not.toBe('')
  }
  expect(desk.tool('triage')).toMatchObject({ type: 'object', required: ['observations'], additionalProperties: false })
})

test('[TOOL-4] a role that may write nothing gets a tool that takes no observations', () => {
  const { schema } = sampled([{ kind: 'flag' }])
  const tool = validatorOf(schema, 'orders')
  expect(schema.tool('orders')).toMatchObject({ properties: { observations: { maxItems: 0 } } })
  expect(tool.safeParse({ observations: [] }).success).toBe(true)
  expect(tool.safeParse({ observations: [{}] }).success).toBe(false)
})
