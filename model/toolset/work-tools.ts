import { z } from 'zod'
import { threadShape } from '../handoff/piece.ts'
import { viewOf } from '../wire/columns.ts'
import type { HandoffSeen } from '../wire/handoff.ts'
import type { ToolAnswers } from './desk.ts'
import { handleOf, handleShape, heldBy } from './handle.ts'
import { beliefLines, beliefsTold, NOTE, quotedIn } from './quoted.ts'
import { ADDS, ENDS, READS, REPEATS, type Told, tool, userShape } from './tool.ts'

/** Tools about work: who has it, what was tried, and who goes on with it. */

/** Milliseconds: a model thinks, and waits for its user, between calls. Each report is a sign of life. */
const LEASE = 30 * 60_000

const text = z.string().min(1).max(4_000)
const rules = z.array(z.string().min(1).max(1_000)).max(32)
const json = z.json()

const handed = z.object({
  handoff: z.string(),
  state: z.string(),
  to: z.string().nullable(),
  holder: z.string().nullable(),
})

const taken = z.object({
  work: z.string(),
  user: z.string(),
  intent: z.string(),
  brief: z.string(),
  beliefs: z.array(z.json()),
  missing: z.array(z.string()),
  threads: z.array(z.json()),
  checkpoint: z.json(),
  lease_ends: z.string().nullable(),
})

const startWork = tool({
  name: 'start_work',
  title: 'Start work on what a user wants',
  describe:
    "Call it once when a user comes with something to be done, before you do it. `words` are the user's own, verbatim. You then hold the work: report with update_thread, save with checkpoint, and end with complete or handoff. Answers with `work`, which those ask for.",
  input: z.object({
    user: userShape,
    words: text.describe("What the user wants, in the user's own words."),
    goal: text.optional().describe('What the user wants to have at the end, in one sentence.'),
    task: z.string().optional().describe('Id of the task, such as a ticket number.'),
    constraints: rules.optional().describe('What must be kept to. It binds everyone after you too.'),
    exclusions: rules.optional().describe('What must not be done. It binds everyone after you too.'),
  }),
  output: taken,
  hints: ADDS,
  run: async (desk, { words, goal, ...given }) => {
    const intent = { words, ...(goal !== undefined && { goal }) }
    return delivered(await desk.ask('start', { ...given, intent, lease: LEASE, request: desk.newId() }))
  },
})

const listOffers = tool({
  name: 'list_offers',
  title: 'Work that is offered to you',
  describe:
    'Work that others hand to you or your role, most urgent first, with what of the things you need is known and missing. Take one with accept_handoff.',
  input: z.object({}),
  output: z.object({
    offers: z.array(
      z.object({
        handoff: z.string(),
        from: z.string().nullable(),
        urgency: z.number(),
        known: z.array(z.string()),
        missing: z.array(z.string()),
        resumed: z.boolean(),
      }),
    ),
    held: z.array(z.object({ work: z.string(), user: z.string().nullable() })),
  }),
  hints: READS,
  run: async desk => {
    const { offers, handoffs } = await desk.ask('handoffs', {})
    const told = [...offers]
      .sort((a, b) => b.urgency - a.urgency || a.made - b.made)
      .map(({ id, from, urgency, needs, isResumed }) => ({
        ...{ handoff: id, from: from?.role ?? null, urgency },
        ...{ known: [...needs.known], missing: [...needs.missing], resumed: isResumed },
      }))
    const held = handoffs
      .filter(({ state, holder }) => state === 'accepted' && holder?.agent === desk.agent)
      .map(seen => ({ work: handleOf(seen), user: seen.user ?? null }))
    const lines = told.map(
      ({ handoff, from, urgency, known, missing }) =>
        `- ${handoff} from ${from ?? 'nobody'}, urgency ${urgency.toFixed(2)}; known: ${listed(known)}; missing: ${listed(missing)}`,
    )
    const mine = held.map(({ work, user }) => `- you hold ${work}${user === null ? '' : ` of ${user}`}`)
    const all = [...lines, ...mine]
    return { text: all.length > 0 ? all.join('\n') : 'Nothing is offered to you.', data: { offers: told, held } }
  },
})

const acceptHandoff = tool({
  name: 'accept_handoff',
  title: 'Take over work',
  describe:
    'Take over work that list_offers shows. Answers with all you need to go on: what the user wants, what was tried, what was agreed and what is known. Do not ask the user for anything that is in it; ask only for what is listed as missing. Calling it again while you hold the work answers the same.',
  input: z.object({ handoff: z.string().describe('Id of the handoff, from list_offers.') }),
  output: taken,
  hints: REPEATS,
  run: async (desk, { handoff }) => delivered(await desk.ask('accept', { handoff, lease: LEASE, request: 'tool' })),
})

const updateThread = tool({
  name: 'update_thread',
  title: 'Report what you are doing',
  describe:
    'Record a piece of the work: what you try to reach, how, what you assume, what did not work. Give `id` to change one that is there. Also takes agreements with the user and decisions. Whoever goes on after you reads it. A sign of life as well.',
  input: z.object({
    work: handleShape,
    thread: z
      .object({
        id: z.string().optional().describe('Of a thread that is there; left out for a new one.'),
        goal: text.optional().describe('What is to be reached. Needed for a new thread.'),
        status: threadShape.shape.status,
        approach: text.optional(),
        assumptions: z.array(text).max(32).optional(),
        dead_ends: z.array(text).max(32).optional().describe('What was tried and did not work.'),
        urgency: z.number().min(0).max(1).optional(),
        fragility: z.number().min(0).max(1).optional().describe('How easily it breaks.'),
        fields: z
          .array(z.string())
          .max(32)
          .optional()
          .describe('Fields it speaks of: who may not read them does not see it.'),
      })
      .optional(),
    agreement: text.optional().describe('What was agreed with the user; it is never left out of a brief.'),
    decision: z.object({ what: text, why: text }).optional(),
    note: text.optional().describe('Something about the surroundings that whoever goes on should know.'),
    asked: z.array(z.string()).max(32).optional().describe('Fields that you have asked the user for.'),
  }),
  output: z.object({ thread: z.string().nullable(), lease_ends: z.string().nullable() }),
  hints: ADDS,
  run: async (desk, { work, thread, agreement, decision, note, asked }) => {
    const id = thread ? (thread.id ?? desk.newId()) : null
    const { dead_ends: deadEnds, ...rest } = thread ?? {}
    const seen = await desk.ask('report', {
      ...heldBy(work),
      ...(thread && { threads: [{ ...rest, id, ...(deadEnds && { deadEnds }) }] }),
      ...(agreement !== undefined && { agreements: [{ id: desk.newId(), text: agreement }] }),
      ...(decision && { decisions: [{ id: desk.newId(), ...decision }] }),
      ...(note !== undefined && { environment: [{ id: desk.newId(), text: note }] }),
      ...(asked && { asked }),
    })
    const told = id === null ? 'Recorded.' : `Recorded as thread ${id}.`
    return { text: told, data: { thread: id, lease_ends: leaseOf(seen) } }
  },
})

const handoff = tool({
  name: 'handoff',
  title: 'Hand work to another',
  describe: desk =>
    `Offer the work you hold to another role. Say why and what is next; what is known of the user goes along by itself, so do not repeat it. Record what you learned with observe first. You keep the work until someone has accepted. You may hand to: ${desk.schema.role.handsTo.join(', ') || 'nobody'}.`,
  input: z.object({
    work: handleShape,
    to: z.string().describe('Role to hand it to.'),
    agent: z.string().optional().describe('Only this agent of the role.'),
    reason: text.describe('Why you hand it on, in a sentence.'),
    next: text.optional().describe('What is to be done next.'),
    constraints: rules.optional(),
    exclusions: rules.optional(),
    refs: z.array(z.string()).max(32).optional().describe('Fields that matter most to whoever goes on.'),
    expected: json.optional().describe('JSON Schema that the result has to fit.'),
    tokens: z.int().min(50).max(32_000).optional().describe('How long the brief may be.'),
    urgency: z.number().min(0).max(1).optional(),
  }),
  output: handed,
  hints: ADDS,
  run: async (desk, { work, to, agent, ...given }) => {
    const target = { role: to, ...(agent !== undefined && { agent }) }
    return told(await desk.ask('handoff', { ...given, ...heldBy(work), to: target, request: desk.newId() }), 'Offered')
  },
})

const checkpoint = tool({
  name: 'checkpoint',
  title: 'Save where the work stands',
  describe:
    'Save a point from which another can go on if you are cut off. Call it after every step that should not be done twice, and at least every 20 minutes: without a sign of life the work is offered to another after 30.',
  input: z.object({
    work: handleShape,
    note: z.string().max(4_000).describe('What is done and what comes next, in a sentence.'),
    state: json.optional().describe('Any data you would need to go on.'),
  }),
  output: handed,
  hints: ADDS,
  run: async (desk, { work, ...given }) => told(await desk.ask('checkpoint', { ...given, ...heldBy(work) }), 'Saved'),
})

const complete = tool({
  name: 'complete',
  title: 'End work that is done',
  describe:
    'End the work you hold when what the user wanted is done. If a result was expected, it has to fit. What can not be done is handed on with handoff instead.',
  input: z.object({ work: handleShape, result: json.optional().describe('What came of it.') }),
  output: handed,
  hints: ENDS,
  run: async (desk, { work, result = null }) =>
    told(await desk.ask('complete', { result, ...heldBy(work) }), 'Completed'),
})

function told(seen: HandoffSeen, done: string): Told {
  const { id, state, to, holder } = seen
  const data = { handoff: id, state, to: to?.role ?? null, holder: holder?.agent ?? null }
  return { text: `${done}: ${id} is ${state}${to ? ` to ${to.role}` : ''}.`, data }
}

/** All that a holder needs, as text and as data; stored text is quoted in both. */
function delivered({ columns, ...delivery }: ToolAnswers['accept']): Told {
  const { user, handoff, work, narrative, gaps, checkpoint } = delivery
  const view = viewOf(columns)
  const missing = gaps.filter(({ why }) => why === 'missing').map(({ field }) => field)
  const handle = handleOf(handoff)
  const ask = missing.length > 0 ? `Ask the user only for: ${missing.join(', ')}.` : 'Nothing you need is missing.'
  const lines = beliefLines(view)
  const known = lines.length > 0 ? `\n\n## Believed of the user\n${lines.join('\n')}` : ''
  return {
    text: `You hold the work ${handle} of user ${user}. ${ask}\n${NOTE}\n\n${narrative}${known}`,
    data: {
      work: handle,
      user,
      intent: String(quotedIn(work.intent.words)),
      brief: narrative,
      beliefs: beliefsTold(view),
      missing,
      threads: quotedIn(work.threads),
      checkpoint: quotedIn(checkpoint),
      lease_ends: leaseOf(handoff),
    },
  }
}

const leaseOf = ({ lease }: HandoffSeen): string | null => (lease === null ? null : new Date(lease).toISOString())
const listed = (fields: readonly string[]): string => fields.join(', ') || 'nothing'

export const WORK_TOOLS = [startWork, updateThread, handoff, listOffers, acceptHandoff, checkpoint, complete]
