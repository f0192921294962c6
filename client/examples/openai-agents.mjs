// OpenAI Agents SDK: triage hands over with our envelope; billing reads its own brief instead of the conversation,
// and has only its own tools. Needs a server, SELFSAME_URL and tokens in TRIAGE and BILLING.
import { Agent, Runner } from '@openai/agents'
import { connect } from 'selfsame/client'
import { selfsameHandoff, selfsameTools } from 'selfsame/client/adapters/openai-agents'

const user = process.argv[2] ?? 'u_agents'
const url = process.env.SELFSAME_URL
const [ann, bill] = [
  await connect({ url, token: process.env.TRIAGE }),
  await connect({ url, token: process.env.BILLING }),
]
const work = await ann.user(user).start({ intent: 'I was charged twice.' })

const observations = [
  { field: 'need.issue', value: 'duplicate_charge', basis: 'heard' },
  { field: 'emotion.state', value: 'angry' },
]
const billing = new Agent({
  name: 'Billing',
  model: scripted('Billing', says('One charge is refunded.')), // leave `model` out, or name yours
  tools: selfsameTools(bill, ['observe', 'complete']),
})
let taken
const toBilling = selfsameHandoff({
  agent: billing,
  receiver: bill,
  work: () => work,
  onAccepted: accepted => {
    taken = accepted
  },
  tokens: 2000,
})
const triage = new Agent({
  name: 'Triage',
  model: scripted(
    'Triage',
    calls('observe', { user, observations }),
    calls('transfer_to_Billing', { reason: 'A refund is needed.', next: 'Refund one charge.' }),
  ),
  tools: selfsameTools(ann, ['observe', 'get_context']),
  handoffs: [toBilling],
})
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(triage, 'I AM FURIOUS, I was charged twice!')
await taken.complete({ refunded: true })
console.log(`billing says: ${finalOutput}`)
await Promise.all([ann.close(), bill.close()])

/** A model that needs no key: it prints what it is given and follows its script. */
function scripted(name, ...script) {
  return {
    getResponse: async ({ input, tools }) => {
      const read = input.flatMap(({ content, output }) => content ?? output ?? []).map(each => each.text ?? each)
      console.log(`${name} has ${tools.map(each => each.name).join(', ')} and reads: ${read.join('\n')}\n`)
      return { output: [script.shift()], usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } }
    },
  }
}

function calls(name, input) {
  return { type: 'function_call', callId: `c_${name}`, name, status: 'completed', arguments: JSON.stringify(input) }
}

function says(text) {
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
}
