import { HumanMessage, RemoveMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import {
  BaseStore,
  Command,
  type Item,
  type Operation,
  type OperationResults,
  REMOVE_ALL_MESSAGES,
} from '@langchain/langgraph'
import { z } from 'zod'
import { inert } from '../../model/inert.ts'
import { NOTE, quoteValue } from '../../model/toolset/quoted.ts'
import { briefOf } from '../brief.ts'
import type { Desk } from '../desk.ts'
import { refusal } from '../refusal.ts'
import type { Work } from '../work.ts'

/** What `selfsame/client/adapters/langgraph` offers: Selfsame in LangGraph.js. */

const said = z.object({
  value: z.json(),
  confidence: z.number().optional(),
  basis: z.enum(['heard', 'seen', 'inferred']).optional(),
  why: z.string().optional(),
})

/**
 * A store whose items are beliefs: namespace `['users', USER]`, key a field. What is put is an observation, so what is read
 * is what all observations add up to. A deletion takes back this agent's own words.
 */
export class SelfsameStore extends BaseStore {
  readonly #desk: Desk

  constructor(desk: Desk) {
    super()
    this.#desk = desk
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = []
    for (const operation of operations) results.push(await this.#run(operation))
    return results as OperationResults<Op>
  }

  async #run(operation: Operation): Promise<unknown> {
    if ('namespacePrefix' in operation) {
      const { namespacePrefix, limit = 10, offset = 0 } = operation
      return (await this.#items(namespacePrefix)).slice(offset, offset + limit)
    }
    if (!('key' in operation)) throw refusal('forbidden', 'Users are not listed. Name one: ["users", "u_42"].')
    const { namespace, key } = operation
    if (!('value' in operation)) return (await this.#items(namespace)).find(item => item.key === key) ?? null
    const user = this.#desk.user(userOf(namespace))
    if (operation.value === null) await user.retract({ field: key, agent: this.#desk.agent })
    else await user.observe([{ field: key, ...present(said.parse(operation.value)) }])
    return undefined
  }

  async #items(namespace: string[]): Promise<Item[]> {
    const model = await this.#desk.user(userOf(namespace)).model()
    return [...model].map(([key, { value, confidence, status, contested, lastSeen }]) => ({
      ...{ namespace, key, value: { value, confidence, status, contested } },
      createdAt: new Date(lastSeen),
      updatedAt: new Date(lastSeen),
    }))
  }
}

/** Items of the store for a prompt. Their values are as they were recorded; here each is quoted, so none reads as anything but data. */
export const quotedItems = (items: readonly Item[]): string => [NOTE, ...items.map(lineOf)].join('\n')

const lineOf = ({ key, value: { value, confidence, status } }: Item): string =>
  `- ${inert(key)}: ${quoteValue(value)} (${Number(confidence).toFixed(2)}, ${status})`

function userOf([kind, user, ...rest]: string[]): string {
  if (kind === 'users' && user !== undefined && rest.length === 0) return user
  throw refusal('bad_request', 'A namespace is ["users", USER], such as ["users", "u_42"].')
}

const present = ({ value, ...rest }: z.infer<typeof said>) => ({
  value,
  ...Object.fromEntries(Object.entries(rest).filter(([, each]) => each !== undefined)),
})

export interface HandoffToolOptions {
  /** The node that goes on, and the desk of its agent. */
  readonly to: string
  readonly receiver: Desk
  /** The work that the sender holds. */
  readonly work: () => Work
  readonly onAccepted?: (work: Work) => void
  readonly tokens?: number
}

const TOKENS = 3_000

/** A tool that hands work on with our envelope: the next node finds its own brief in the place of the messages so far. */
export const handoffTool = ({ to, receiver, work, onAccepted, tokens = TOKENS }: HandoffToolOptions) =>
  tool(
    async ({ reason, next }) => {
      const target = { role: receiver.role, agent: receiver.agent }
      const { id } = await work().handoff({ to: target, reason, next, tokens })
      const taken = await receiver.take(id)
      onAccepted?.(taken)
      const messages = [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), new HumanMessage(briefOf(taken))]
      return new Command({ goto: to, update: { messages } })
    },
    {
      name: `handoff_to_${to}`,
      description: `Hand the work to ${to}. What is known of the user goes along by itself.`,
      schema: z.object({
        reason: z.string().describe('Why you hand it on, in a sentence.'),
        next: z.string().describe('What is to be done next.'),
      }),
    },
  )
