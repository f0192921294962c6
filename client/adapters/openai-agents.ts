import { type Agent, type Tool as AgentTool, type Handoff, handoff, type RunContext, tool, user } from '@openai/agents'
import { z } from 'zod'
import { callTool } from '../../model/toolset/tool.ts'
import { TOOLS } from '../../model/toolset/toolset.ts'
import { briefOf } from '../brief.ts'
import type { Desk } from '../desk.ts'
import type { Work } from '../work.ts'

/** What `selfsame/client/adapters/openai-agents` offers: Selfsame in the OpenAI Agents SDK. */

/** The tools of one agent's desk, or some of them by name: what its role may not do they do not do either. */
export function selfsameTools(desk: Desk, names: readonly string[] = TOOLS.map(({ name }) => name)): AgentTool[] {
  return TOOLS.filter(({ name }) => names.includes(name)).map(each =>
    tool({
      name: each.name,
      description: each.describe(desk.tools),
      parameters: parametersOf(each.input),
      strict: false,
      execute: async input => (await callTool(desk.tools, each, input)).content.map(({ text }) => text).join('\n'),
    }),
  )
}

/** The JSON Schema as the SDK asks for one that is not strict. */
function parametersOf(shape: z.ZodObject) {
  const { properties = {}, required = [], $defs } = z.toJSONSchema(shape, { io: 'input' })
  return { type: 'object' as const, properties, required, additionalProperties: true as const, ...($defs && { $defs }) }
}

/** With a budget the brief tells what is believed as well. */
const TOKENS = 3_000

const said = z.object({
  reason: z.string().describe('Why you hand it on, in a sentence.'),
  next: z.string().describe('What is to be done next.'),
})

export interface HandoffTo {
  /** The agent that goes on, with `selfsameTools` of `receiver` and none of the sender's. */
  readonly agent: Agent
  /** The desk of that agent: what it is told is what its role may read. */
  readonly receiver: Desk
  /** The work that the sender holds in a run. */
  readonly work: (context: RunContext) => Work
  /** Told of the work as the receiver holds it. */
  readonly onAccepted?: (work: Work, context: RunContext) => void
  /** How long the brief may be. */
  readonly tokens?: number
}

/**
 * A handoff of the SDK that is one of ours: the sender's words become an envelope, the receiver accepts it by its own desk,
 * and what it reads in the place of the conversation is the brief that its role may read.
 */
export function selfsameHandoff({ agent, receiver, work, onAccepted, tokens = TOKENS }: HandoffTo): Handoff {
  const briefs = new WeakMap<RunContext, string>()
  return handoff(agent, {
    inputType: said,
    onHandoff: async (context, given) => {
      const { reason, next } = said.parse(given)
      const to = { role: receiver.role, agent: receiver.agent }
      const offered = await work(context).handoff({ to, reason, next, tokens })
      const taken = await receiver.take(offered.id)
      briefs.set(context, briefOf(taken))
      onAccepted?.(taken, context)
    },
    inputFilter: data => {
      const brief = data.runContext && briefs.get(data.runContext)
      if (brief === undefined)
        throw new Error('The receiver has no brief: the run has another context than its handoff.')
      return { ...data, inputHistory: [user(brief)], preHandoffItems: [], newItems: [] }
    },
  })
}
