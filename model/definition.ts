import { z } from 'zod'
import { DURATION_PATTERN, parseDuration } from './duration.ts'
import type { Detail } from './error.ts'
import { isPattern } from './pattern.ts'

/** What a team writes to define its model, in code or as a JSON file. The published JSON Schema is made from this. */

const duration = z.string().regex(new RegExp(DURATION_PATTERN), {
  error: 'expected a duration such as "90s", "2h", "14d" or "never"',
})
const lifetime = duration.refine(text => parseDuration(text) !== 0, {
  error: 'expected a duration above zero, or "never"',
})
const finiteDuration = duration.refine(text => text !== 'never', {
  error: 'expected a duration such as "90s", "2h" or "14d"',
})
const pattern = z.string().refine(isPattern, {
  error: 'expected a field pattern such as "need.issue", "billing.*", "**" or "!billing.**"',
})
const share = z.number().gt(0).max(1)
const choiceValue = z.string().min(1).max(200)
const jsonSchema = z
  .record(z.string(), z.unknown())
  .meta({ description: 'A JSON Schema that every value of the field must satisfy.' })

const common = {
  description: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: 'What the field means; agents and people read it.' }),
  halfLife: lifetime
    .optional()
    .meta({ description: 'Time after which a piece of evidence weighs half. Default "30d".' }),
  hold: duration.optional().meta({
    description: "How long agents can't overrule a person's word. Default: one half-life.",
  }),
  binding: z.enum(['user', 'task']).optional().meta({
    description: '"task": the value belongs to one task (this booking\'s date) and only carries over to others.',
  }),
  carry: z.number().min(0).max(1).optional().meta({
    description: 'Share of confidence that carries over to another task. Only with binding "task". Default 0.4.',
  }),
  sensitivity: z.enum(['normal', 'personal', 'secret']).optional().meta({
    description: '"secret" values never enter contexts, envelopes, webhooks, notes or logs.',
  }),
  contested: z
    .union([z.number().gt(0).max(1), z.literal('never')])
    .optional()
    .meta({
      description: "A belief is contested when another value weighs at least this share of the top's. Default 0.5.",
    }),
  pinned: z.boolean().optional().meta({ description: 'Shown first to people; never trimmed from a context.' }),
  was: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ description: 'Earlier names of this field. Evidence under them counts here.' }),
}
const wasValues = z.record(z.string(), z.string()).optional().meta({
  description: 'Earlier values and what each is called now.',
})

const fieldDefinition = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('choice'),
    ...common,
    values: z.array(choiceValue).min(2).max(200).optional().meta({
      description: 'The values allowed. Without it any short string is.',
    }),
    wasValues,
  }),
  z.strictObject({ kind: z.literal('flag'), ...common }),
  z.strictObject({
    kind: z.literal('set'),
    ...common,
    values: z.array(choiceValue).min(1).max(200).optional().meta({
      description: 'The elements allowed. Without it any short string is.',
    }),
    wasValues,
  }),
  z.strictObject({
    kind: z.literal('number'),
    ...common,
    tolerance: z.number().min(0).optional().meta({ description: 'Numbers this close support each other. Default 0.' }),
    schema: jsonSchema.optional(),
  }),
  z.strictObject({ kind: z.literal('text'), ...common, schema: jsonSchema.optional() }),
  z.strictObject({ kind: z.literal('record'), ...common, schema: jsonSchema.optional() }),
])

const roleDefinition = z.strictObject({
  description: z.string().max(1_000).optional(),
  authority: z.enum(['agent', 'human', 'subject']).optional().meta({
    description: 'Whose word it is. A human\'s and the subject\'s word settles what agents inferred. Default "agent".',
  }),
  reach: z.enum(['all', 'assigned', 'self']).optional().meta({
    description: 'Which users: all, those handed to it, or only itself. Default "assigned".',
  }),
  read: z.array(pattern).max(100).meta({ description: 'Fields it may read. "!" denies, and a deny always wins.' }),
  write: z.array(pattern).max(100).meta({ description: 'Fields it may write.' }),
  trust: share.optional().meta({ description: 'Where trust in a new agent of this role starts. Default 1.' }),
  confidence: z
    .strictObject({ heard: share.optional(), seen: share.optional(), inferred: share.optional() })
    .optional()
    .meta({ description: 'Confidence of an observation that states none, by its basis.' }),
  needs: z.array(z.string()).max(100).optional().meta({
    description: 'Fields this role wants to know to take over; an offer tells which are known and which are missing.',
  }),
  handsTo: z.array(z.string()).max(100).optional().meta({ description: 'Roles it may hand work to.' }),
  actions: z.array(z.string().min(1).max(64)).max(100).optional().meta({
    description:
      'Actions a handoff may grant to this role, such as "refund". Those of the server: "audit" (see who did what), "erase", "join", "revoke", "view_as" (see what another role would).',
  }),
})

export const modelDefinition = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1).max(100).optional(),
  fields: z.record(z.string(), fieldDefinition).meta({
    description: 'Fields by dotted name; "*" as a segment makes a family: "order.*.status".',
  }),
  roles: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/), roleDefinition),
  settings: z
    .strictObject({
      idle: finiteDuration.optional().meta({
        description: 'An interaction silent this long starts a new episode when it speaks again. Default "30m".',
      }),
      late: finiteDuration.optional().meta({ description: 'How old a word may be when it arrives. Default "30d".' }),
      retention: z
        .strictObject({
          audit: lifetime.optional().meta({ description: 'How long entries of the audit are kept. Default "400d".' }),
          frames: lifetime.optional().meta({
            description: 'How long handoffs are kept after they ended, with all they carried. Default "400d".',
          }),
          ledger: lifetime.optional().meta({
            description:
              'How long the outcome of an observation is known by its id, at least twice `late`. Default "90d".',
          }),
        })
        .optional()
        .meta({ description: 'After which time what kind of record is taken away, or "never".' }),
      skew: finiteDuration.optional().meta({ description: 'How far ahead a sender\'s clock may run. Default "30s".' }),
    })
    .optional(),
})

export type ModelDefinition = z.infer<typeof modelDefinition>
export type FieldDefinition = z.infer<typeof fieldDefinition>
export type RoleDefinition = z.infer<typeof roleDefinition>
export type Kind = FieldDefinition['kind']
export type Sensitivity = NonNullable<FieldDefinition['sensitivity']>
export type Authority = NonNullable<RoleDefinition['authority']>
export type Reach = NonNullable<RoleDefinition['reach']>
export const BASES = ['heard', 'seen', 'inferred'] as const
export type Basis = (typeof BASES)[number]

/** `fields["emotion.state"].halfLife`: the path as one would write it. */
export const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, i) => {
      if (typeof part === 'number') return `[${part}]`
      const name = String(part)
      if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `[${JSON.stringify(name)}]`
      return i === 0 ? name : `.${name}`
    })
    .join('')

export const detailsOf = (error: z.ZodError): Detail[] =>
  error.issues.map(issue => ({ path: pathOf(issue.path), message: issue.message }))
