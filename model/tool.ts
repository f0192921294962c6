import { BASES } from './definition.ts'
import { type Field, MAX_SHORT } from './field.ts'
import { MAX_WHY } from './observation.ts'
import { isPerson, type Role } from './role.ts'
import { MAX_VALUE_CHARS } from './value.ts'

type JsonSchema = Record<string, unknown>

const nullable = (type: string, description: string, more: JsonSchema = {}): JsonSchema => ({
  type: [type, 'null'],
  description,
  ...more,
})

/**
 * The shape that strict structured output asks for: every object closed, every property required, what may be left out
 * nullable, alternatives by `anyOf` and only below the root. Observations take null for "left out".
 */
export const observeTool = (fields: readonly Field[], role: Role): JsonSchema => ({
  type: 'object',
  description: 'What you have just learned of the user, one entry for each fact. Leave out what you do not know.',
  properties: {
    observations: observations(
      fields.filter(field => role.write.coverage(field.name) !== 'none').map(field => entry(field, role)),
    ),
  },
  required: ['observations'],
  additionalProperties: false,
})

/** `anyOf` of nothing is no JSON Schema. */
const observations = (entries: readonly JsonSchema[]): JsonSchema =>
  entries.length > 0
    ? { type: 'array', items: { anyOf: entries } }
    : { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false }, maxItems: 0 }

function entry(field: Field, role: Role): JsonSchema {
  const mayDeny = isPerson(role) || field.kind === 'flag' || field.kind === 'set'
  const properties: JsonSchema = {
    field: nameSchema(field),
    value: valueSchema(field),
    not: mayDeny
      ? nullable('boolean', 'true to say that this is not so')
      : { type: 'null', description: 'only a person may deny a value here' },
    confidence: nullable('number', 'how sure you are, above 0 up to 1; null for your default', {
      exclusiveMinimum: 0,
      maximum: 1,
    }),
    basis: {
      type: ['string', 'null'],
      enum: [...BASES, null],
      description: 'heard: the user said it; seen: a system shows it; inferred: you conclude it',
    },
    why: nullable('string', 'the reason, in one sentence', { maxLength: MAX_WHY }),
  }
  return {
    type: 'object',
    ...(field.description && { description: field.description }),
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

const nameSchema = (field: Field): JsonSchema => {
  if (!field.name.includes('*')) return { type: 'string', const: field.name }
  const pattern = field.name.split('.').map(segment => (segment === '*' ? '[A-Za-z0-9_-]{1,64}' : segment))
  return { type: 'string', pattern: `^${pattern.join('\\.')}$`, description: `a name of the form ${field.name}` }
}

function valueSchema(field: Field): JsonSchema {
  switch (field.kind) {
    case 'choice':
    case 'set':
      return field.values
        ? { type: 'string', enum: [...field.values] }
        : { type: 'string', pattern: '\\S', maxLength: MAX_SHORT }
    case 'flag':
      return { type: 'boolean' }
    case 'number':
      return { type: 'number', ...field.schema }
    case 'text':
      return { type: 'string', maxLength: MAX_VALUE_CHARS - 1, ...field.schema }
    case 'record':
      return { type: 'object', ...field.schema }
  }
}
