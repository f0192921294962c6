// LangGraph.js: beliefs as the graph's store, and a tool that hands over with our envelope: the next node reads its own brief
// instead of the messages so far. Needs a server, SELFSAME_URL and tokens in TRIAGE and BILLING.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, SystemMessage } from '@langchain/core/messages'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { connect } from 'selfsame/client'
import { handoffTool, quotedItems, SelfsameStore } from 'selfsame/client/adapters/langgraph'

/** A model that needs no key: it prints what it reads and follows its script. */
class Scripted extends BaseChatModel {
  constructor(name, answer) {
    super({})
    Object.assign(this, { name, answer })
  }
  _llmType() {
    return 'scripted'
  }
  async _generate(messages) {
    console.log(`${this.name} reads: ${messages.map(({ content }) => content).join('\n')}\n`)
    return { generations: [{ text: '', message: new AIMessage(this.answer) }] }
  }
}
const args = { reason: 'A refund is needed.', next: 'Refund one charge.' }
const triageModel = new Scripted('triage', {
  content: '',
  tool_calls: [{ id: 'c_1', name: 'handoff_to_billing', args }],
})
const billingModel = new Scripted('billing', { content: 'One charge is refunded.' })

const user = process.argv[2] ?? 'u_graph'
const url = process.env.SELFSAME_URL
const [ann, bill] = [
  await connect({ url, token: process.env.TRIAGE }),
  await connect({ url, token: process.env.BILLING }),
]
const work = await ann.user(user).start({ intent: 'I was charged twice.' })
let taken
const toBilling = handoffTool({
  to: 'billing',
  receiver: bill,
  work: () => work,
  onAccepted: accepted => {
    taken = accepted
  },
  tokens: 2000,
})

const graph = new StateGraph(MessagesAnnotation)
  .addNode('triage', async ({ messages }, { store }) => {
    await store.put(['users', user], 'need.issue', { value: 'duplicate_charge', basis: 'heard' })
    await store.put(['users', user], 'emotion.state', { value: 'angry' })
    // Values in a store are raw: into a prompt they go through quotedItems, so that none can be read as an instruction.
    const known = new SystemMessage(quotedItems(await store.search(['users', user])))
    return { messages: [await triageModel.invoke([known, ...messages])] }
  })
  .addNode('tools', new ToolNode([toBilling]), { ends: ['billing'] })
  .addNode('billing', async ({ messages }) => ({ messages: [await billingModel.invoke(messages)] }))
  .addEdge('__start__', 'triage')
  .addEdge('triage', 'tools')
  .compile({ store: new SelfsameStore(ann) })

const { messages } = await graph.invoke({ messages: [{ role: 'user', content: 'I AM FURIOUS, I was charged twice!' }] })
await taken.complete({ refunded: true })
console.log(`billing says: ${messages.at(-1).content}`)
await Promise.all([ann.close(), bill.close()])
