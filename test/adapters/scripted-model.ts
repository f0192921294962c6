import { MockLanguageModelV3 } from 'ai/test'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model for the AI SDK that calls tools, by name and with an input, in its first step and then says that it is done. */
export function scripted(tools: Readonly<Record<string, object>>): MockLanguageModelV3 {
  const content = Object.entries(tools).map(([toolName, input]) => ({
    type: 'tool-call' as const,
    toolCallId: `c_${toolName}`,
    toolName,
    input: JSON.stringify(input),
  }))
  const done = { type: 'text' as const, text: 'done' }
  return new MockLanguageModelV3({
    doGenerate: [
      { content, finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] },
      { content: [done], finishReason: { unified: 'stop', raw: undefined }, usage, warnings: [] },
    ],
  })
}
