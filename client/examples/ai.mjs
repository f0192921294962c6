// AI SDK: the model has our tools, and is told before each step what is known of the user by then.
// Needs a server, SELFSAME_URL and a token in TRIAGE.
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { connect } from 'selfsame/client'
import { prepareContext, selfsameTools } from 'selfsame/client/adapters/ai'

const user = process.argv[2] ?? 'u_ai'
const desk = await connect({ url: process.env.SELFSAME_URL, token: process.env.TRIAGE })
await desk.user(user).observe({ 'need.issue': { value: 'duplicate_charge', basis: 'heard' } })

const { text } = await generateText({
  model: scripted(), // yours, such as openai('gpt-5')
  prompt: 'It was order A17, and I need the money by Friday.',
  tools: selfsameTools(desk, ['observe', 'get_context']),
  prepareStep: prepareContext({ desk, user, tokens: 800, system: 'You are the first contact.' }),
  stopWhen: stepCountIs(8),
})
console.log(`the model says: ${text}`)
await desk.close()

/** A model that needs no key: it prints what it is told, records the order, and answers. */
function scripted() {
  const observations = [{ field: 'need.order', value: 'A17', basis: 'heard' }]
  const call = {
    type: 'tool-call',
    toolCallId: 'c_1',
    toolName: 'observe',
    input: JSON.stringify({ user, observations }),
  }
  const script = [
    { content: [call], finishReason: { unified: 'tool-calls' } },
    { content: [{ type: 'text', text: 'I see both charges of A17.' }], finishReason: { unified: 'stop' } },
  ]
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      console.log(`the model is told: ${prompt.find(({ role }) => role === 'system')?.content}\n`)
      return { ...script.shift(), usage: { inputTokens: {}, outputTokens: {} }, warnings: [] }
    },
  })
}
