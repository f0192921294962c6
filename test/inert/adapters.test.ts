import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { Agent, Runner, setTracingDisabled } from '@openai/agents'
import { generateText, stepCountIs } from 'ai'
import { expect, test } from 'vitest'
import { prepareContext, selfsameTools } from '../../client/adapters/ai.ts'
import { handoffTool, quotedItems, SelfsameStore } from '../../client/adapters/langgraph.ts'
import { selfsameTools as agentTools, selfsameHandoff } from '../../client/adapters/openai-agents.ts'
import type { Desk } from '../../client/desk.ts'
import { calls, Scripted, says } from '../adapters/scripted-agent.ts'
import { scripted } from '../adapters/scripted-model.ts'
import { deskOf } from '../handoff/desk.ts'
import { Agents } from '../server/handoff/agents.ts'
import { CORPUS, findings } from './corpus.ts'
import { stored, stringsIn, USER } from './stored.ts'

setTracingDisabled(true)

/** Whoever takes over reads what was said of the user, of the work and in the handing on. */
const startWith = (ann: Desk, text: string) =>
  ann.user(USER).start({ intent: { words: text, goal: text }, constraints: [text] })

const ASKED = {
  get_context: { user: USER, tokens: 8_000 },
  read_model: { user: USER },
  explain_belief: { user: USER, field: 'need.goal' },
  list_offers: {},
}

function expectQuoted(renderings: readonly string[], part: string): void {
  expect(renderings.join('\n')).toContain(part)
  for (const rendering of renderings) expect(findings(rendering), rendering).toEqual([])
}

test.each(Object.entries(CORPUS))(
  '[INERT-4] %s is quoted data in all that the AI SDK gives a model',
  async (_, text) => {
    const agents = await Agents.start()
    const id = await stored(agents, text)
    const tim = await deskOf(agents.world, 'tim', 'tech')
    const model = scripted({ ...ASKED, accept_handoff: { handoff: id } })
    const prepareStep = prepareContext({ desk: tim, user: USER, tokens: 8_000 })
    await generateText({ model, prompt: 'Hi', tools: selfsameTools(tim), prepareStep, stopWhen: stepCountIs(2) })
    const read = model.doGenerateCalls.flatMap(({ prompt }) => stringsIn(prompt))
    expectQuoted(read, 'need.goal: "')
    expect(read.join('\n')).toContain('The user said: "')
  },
)

test.each(Object.entries(CORPUS))(
  '[INERT-4] %s is quoted data in all that the OpenAI Agents SDK gives whoever takes over',
  async (_, text) => {
    const agents = await Agents.start()
    await stored(agents, text)
    const [ann, tim] = [await deskOf(agents.world, 'ann', 'triage'), await deskOf(agents.world, 'tim', 'tech')]
    const work = await startWith(ann, text)
    const asking = Object.entries(ASKED).map(([name, input]) => calls(name, input))
    const techModel = new Scripted(...asking, says('done'))
    const tech = new Agent({ name: 'Tech', model: techModel, tools: agentTools(tim) })
    const toTech = selfsameHandoff({ agent: tech, receiver: tim, work: () => work, tokens: 20_000 })
    const model = new Scripted(calls('transfer_to_Tech', { reason: text, next: text }))
    await new Runner().run(new Agent({ name: 'Triage', model, handoffs: [toTech] }), 'Hi')
    const given = techModel.asked.at(-1)?.input
    // A call's arguments are the model's own words.
    const read = [given].flat().flatMap(item => (stringsIn(item).includes('function_call') ? [] : stringsIn(item)))
    expectQuoted(read, 'need.goal: "')
    expect(read.join('\n')).toContain('The user said: "')
  },
)

test.each(Object.entries(CORPUS))(
  '[INERT-4] %s is quoted data in the brief that LangGraph.js gives a node, and in items of the store for a prompt',
  async (_, text) => {
    const agents = await Agents.start()
    await stored(agents, text)
    const [ann, tim] = [await deskOf(agents.world, 'ann', 'triage'), await deskOf(agents.world, 'tim', 'tech')]
    const work = await startWith(ann, text)
    const toTech = handoffTool({ to: 'tech', receiver: tim, work: () => work, tokens: 20_000 })
    const call = { id: 'c_1', name: 'handoff_to_tech', args: { reason: text, next: text } }
    let read: BaseMessage[] = []
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('triage', () => ({ messages: [new AIMessage({ content: '', tool_calls: [call] })] }))
      .addNode('tools', new ToolNode([toTech]), { ends: ['tech'] })
      .addNode('tech', ({ messages }) => {
        read = messages
        return { messages: [new AIMessage('done')] }
      })
      .addEdge('__start__', 'triage')
      .addEdge('triage', 'tools')
      .compile()
    await graph.invoke({ messages: [{ role: 'user', content: 'Hi' }] })
    expectQuoted(
      read.map(({ content }) => String(content)),
      'The user said: "',
    )
    const items = await new SelfsameStore(tim).search(['users', USER])
    expect(items.find(({ key }) => key === 'need.goal')?.value['value']).toBe(text)
    expectQuoted([quotedItems(items)], '- need.goal: "')
  },
)
