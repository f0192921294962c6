import { z } from 'zod'
import { SelfsameError } from '../error.ts'
import { isPattern } from '../pattern.ts'
import { viewOf } from '../wire/columns.ts'
import type { ItemOutcome } from '../wire/frame.ts'
import type { ToolDesk } from './desk.ts'
import { handleShape, heldBy } from './handle.ts'
import { beliefLines, beliefsTold, NOTE, quotedIn, quoteValue } from './quoted.ts'
import { ENDS, READS, REPEATS, type Told, tool, userShape } from './tool.ts'

/** Tools about what is believed of a user. */

const MAX_FIELDS_NAMED = 80
const task = z.string().optional().describe('Id of the task at hand, for beliefs that hold for one task only.')
const under = handleShape.optional()

const said = z.object({
  field: z.string().describe('Name of the field, such as "need.issue".'),
  value: z.json().describe('What is so; it must fit the field.'),
  confidence: z.number().gt(0).max(1).optional().describe('How sure you are. Left out: the default of your role.'),
  basis: z
    .enum(['heard', 'seen', 'inferred'])
    .optional()
    .describe('heard: the user said it. seen: it stands in a system. inferred: you conclude it (the default).'),
  why: z.string().max(1_000).optional().describe('What makes you think so, in one sentence.'),
})

const outcomes = z.object({
  version: z.string(),
  outcomes: z.array(z.object({ field: z.string(), status: z.enum(['admitted', 'echo']) })),
})

function fieldsNamed({ schema }: ToolDesk, may: 'read' | 'write'): string {
  const all = Object.entries(schema.fields).filter(([, field]) => field[may] !== 'none')
  const lines = all
    .slice(0, MAX_FIELDS_NAMED)
    .map(
      ([name, { kind, description, values }]) =>
        `- ${name} (${kind}${values ? `: ${values.join(' | ')}` : ''}): ${description}`,
    )
  const more = all.length - lines.length
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

const observe = tool({
  name: 'observe',
  title: 'Say what you learned of a user',
  describe: desk =>
    `Record what you have just learned of a user, as soon as you learn it, so that nobody has to ask again. One call may hold several observations. Say only what is new: do not repeat what get_context or accept_handoff told you. Fields you may write (a * stands for a name of yours):\n${fieldsNamed(desk, 'write')}`,
  input: z.object({ user: userShape, observations: z.array(said).min(1).max(32), task, work: under }),
  output: outcomes,
  hints: REPEATS,
  run: async (desk, { user, observations, task, work }) => {
    const given = observations.map(each => ({ ...each, ...(task !== undefined && { task }), id: desk.newId() }))
    const answer = await desk.ask('observe', { user, observations: given, ...holding(work) })
    return written(answer, observations)
  },
})

const correct = tool({
  name: 'correct',
  title: 'Correct a belief, as a person',
  describe:
    'For people and for the user themself: say what is so, or with `not` what is not so. It sets aside what agents said before and they can not overrule it for a while. Agents are refused: they use observe.',
  input: z.object({
    user: userShape,
    field: said.shape.field,
    value: said.shape.value,
    not: z.boolean().optional().describe('true: it is not so, whatever else may be.'),
    why: said.shape.why,
    task,
    work: under,
  }),
  output: outcomes,
  hints: { ...ENDS, idempotentHint: true },
  run: async (desk, { user, work, ...correction }) => {
    const corrections = [{ ...correction, id: desk.newId() }]
    return written(await desk.ask('correct', { user, corrections, ...holding(work) }), [correction])
  },
})

const readModel = tool({
  name: 'read_model',
  title: 'Read beliefs of a user',
  describe: desk =>
    `Read what is believed of a user, field by field, with how sure that is. Use it to look up single fields; to begin a conversation use get_context. What you may not read is absent. Fields you may read:\n${fieldsNamed(desk, 'read')}`,
  input: z.object({
    user: userShape,
    fields: z
      .array(z.string().refine(isPattern, { error: 'expected a field pattern such as "need.*"' }))
      .min(1)
      .max(100)
      .optional()
      .describe('Field names or patterns, such as "need.*". Left out: all.'),
    min_confidence: z.number().min(0).max(1).optional().describe('Leave out what is less sure.'),
    task,
  }),
  output: z.object({
    user: z.string(),
    version: z.string(),
    beliefs: z.array(
      z.object({
        field: z.string(),
        value: z.json(),
        confidence: z.number(),
        status: z.enum(['fresh', 'fading', 'stale']),
        contested: z.boolean(),
      }),
    ),
  }),
  hints: READS,
  run: async (desk, { min_confidence: minConfidence, ...asked }) => {
    const { user, version, columns } = await desk.ask('model', { ...asked, minConfidence })
    const view = viewOf(columns)
    const lines = beliefLines(view)
    const text = lines.length > 0 ? `${NOTE}\n\n${lines.join('\n')}` : 'Nothing is known that you may read.'
    return { text, data: { user, version, beliefs: beliefsTold(view) } }
  },
})

const getContext = tool({
  name: 'get_context',
  title: 'What to know before talking to a user',
  describe:
    'What is known of a user, most important first, within a number of tokens, and what your role needs and nobody knows yet. Call it before you first answer a user. Ask the user only for what it lists as not known.',
  input: z.object({
    user: userShape,
    tokens: z.int().min(50).max(32_000).optional().describe('How long it may be. Left out: 1,000.'),
    task,
  }),
  output: z.object({ user: z.string(), version: z.string(), tokens: z.number(), text: z.string() }),
  hints: READS,
  run: async (desk, { user, tokens = 1_000, task }) => {
    const { version, text, tokens: used } = await desk.ask('context', { user, tokens, task, format: 'markdown' })
    return { text, data: { user, version, tokens: used, text } }
  },
})

const explainBelief = tool({
  name: 'explain_belief',
  title: 'Why something is believed',
  describe: 'Who said what about one field, when, on what basis, and how much each word counts now.',
  input: z.object({ user: userShape, field: said.shape.field, task }),
  output: z.object({
    field: z.string(),
    value: z.json(),
    confidence: z.number(),
    words: z.array(
      z.object({
        value: z.json(),
        not: z.boolean(),
        agent: z.string(),
        standing: z.string(),
        share: z.number(),
        at: z.string(),
        why: z.string().optional(),
      }),
    ),
  }),
  hints: READS,
  run: async (desk, asked) => {
    const { field, belief, words } = await desk.ask('explain', asked)
    const told = words.map(({ value, not, agent, standing, share, at, why }) => ({
      value: quotedIn(value),
      not,
      agent,
      standing,
      share: Math.round(share * 100) / 100,
      at: new Date(at).toISOString(),
      ...(why !== undefined && { why: String(quotedIn(why)) }),
    }))
    const lines = words.map(({ value, not, agent, standing, share, at, why }) => {
      const because = why === undefined ? '' : `, because ${quoteValue(why)}`
      return `- ${agent} said ${not ? 'not ' : ''}${quoteValue(value)} at ${new Date(at).toISOString()} (${standing}, share ${share.toFixed(2)})${because}`
    })
    const now =
      belief && belief.value !== null
        ? `${quoteValue(belief.value)}, confidence ${belief.confidence.toFixed(2)}`
        : 'nothing'
    return {
      text: `${NOTE}\n\nBelieved of ${field}: ${now}\n${lines.join('\n')}`,
      data: { field, value: quotedIn(belief?.value ?? null), confidence: belief?.confidence ?? 0, words: told },
    }
  },
})

const holding = (work: string | undefined): object => {
  const held = work === undefined ? undefined : heldBy(work)
  return held ? { under: held } : {}
}

/** What was refused is told as a refusal, with what was admitted beside it. */
function written(
  { version, outcomes }: { readonly version: string; readonly outcomes: readonly ItemOutcome[] },
  given: readonly { readonly field: string }[],
): Told {
  const told = outcomes.map((outcome, i) => ({
    field: given[i]?.field ?? '',
    status: outcome.status,
    error: outcome.error,
  }))
  const refused = told.flatMap(({ field, error }) => (error ? [{ ...error, field }] : []))
  const [first] = refused
  if (first) {
    const stands = told.filter(({ error }) => !error).map(({ field }) => field)
    const rest = stands.length > 0 ? ` Admitted: ${stands.join(', ')}; do not send these again.` : ''
    const details = refused.map(({ field, message }) => ({ path: field, message }))
    throw new SelfsameError({ code: first.code, message: `${first.field}: ${first.message}${rest}`, details })
  }
  const lines = told.map(
    ({ field, status }) => `${field}: ${status === 'echo' ? 'known already, adds nothing' : 'admitted'}`,
  )
  return { text: lines.join('\n'), data: { version, outcomes: told.map(({ field, status }) => ({ field, status })) } }
}

export const USER_TOOLS = [observe, readModel, getContext, explainBelief, correct]
