import { type Model, type ModelRequest, type ModelResponse, Usage } from '@openai/agents'

type Output = ModelResponse['output'][number]

export const calls = (name: string, input: object): Output => ({
  type: 'function_call',
  callId: `c_${name}`,
  name,
  status: 'completed',
  arguments: JSON.stringify(input),
})

export const says = (text: string): Output => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
})

/** A model for the OpenAI Agents SDK that follows a script and keeps what it was asked. */
export class Scripted implements Model {
  readonly asked: ModelRequest[] = []
  readonly #script: readonly Output[]

  constructor(...script: readonly Output[]) {
    this.#script = script
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const output = this.#script[this.asked.length]
    this.asked.push(request)
    if (!output) throw new Error('The script is over.')
    return { usage: new Usage(), output: [output] }
  }

  getStreamedResponse(): never {
    throw new Error('Nothing is streamed here.')
  }
}
