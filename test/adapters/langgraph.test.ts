import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { expect, test } from 'vitest'
import { handoffTool, SelfsameStore } from '../../client/adapters/langgraph.ts'
import { deskOf } from '../handoff/desk.ts'
import { World } from '../server/support/world.ts'

test('[ADP-3] a store of LangGraph reads and writes beliefs as far as its desk may, and lists no users', async () => {
  const world = await World.start()
  const [ann, bill] = [await deskOf(world, 'ann', 'triage'), await deskOf(world, 'bill', 'billing')]
  const [triage, billing] = [new SelfsameStore(ann), new SelfsameStore(bill)]
  await triage.put(['users', 'u_1'], 'need.issue', { value: 'login_fails', confidence: 0.9 })
  await triage.put(['users', 'u_1'], 'emotion.state', { value: 'angry' })
  const item = await billing.get(['users', 'u_1'], 'need.issue')
  expect(item?.value).toMatchObject({ value: 'login_fails', status: 'fresh' })
  expect((await billing.search(['users', 'u_1'])).map(({ key }) => key)).toEqual(['need.issue'])
  expect(await billing.get(['users', 'u_1'], 'emotion.state')).toBeNull()
  await triage.delete(['users', 'u_1'], 'need.issue')
  expect(await billing.get(['users', 'u_1'], 'need.issue')).toBeNull()
  await expect(triage.listNamespaces()).rejects.toThrow('Users are not listed')
})

test('[ADP-3] a handoff tool of LangGraph gives the next node its brief in the place of the messages so far', async () => {
  const world = await World.start()
  const [ann, bill] = [await deskOf(world, 'ann', 'triage'), await deskOf(world, 'bill', 'billing')]
  await ann.user('u_1').observe({ 'need.issue': 'duplicate_charge', 'emotion.state': 'angry' })
  const work = await ann.user('u_1').start({ intent: 'I was charged twice.' })
  const tools = new ToolNode([handoffTool({ to: 'billing', receiver: bill, work: () => work })])
  const args = { reason: 'A refund is needed.', next: 'Refund one charge.' }
  const calling = new AIMessage({ content: '', tool_calls: [{ id: 'c_1', name: 'handoff_to_billing', args }] })
  let read: BaseMessage[] = []
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('triage', () => ({ messages: [calling] }))
    .addNode('tools', tools, { ends: ['billing'] })
    .addNode('billing', ({ messages }) => {
      read = messages
      return { messages: [new AIMessage('Refunded.')] }
    })
    .addEdge('__start__', 'triage')
    .addEdge('triage', 'tools')
    .compile()
  await graph.invoke({ messages: [{ role: 'user', content: 'I AM FURIOUS' }] })
  const told = JSON.stringify(read.map(({ content }) => content))
  expect(read).toHaveLength(1)
  for (const text of [
    'I was charged twice.',
    'duplicate_charge',
    'A refund is needed.',
    'Refund one charge.',
    'Ask the user only for: need.order',
  ])
    expect(told).toContain(text)
  for (const hidden of ['FURIOUS', 'angry', 'emotion']) expect(told).not.toContain(hidden)
})
