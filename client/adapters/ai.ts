import { type ToolSet, tool } from 'ai'
import { callTool } from '../../model/toolset/tool.ts'
import { TOOLS } from '../../model/toolset/toolset.ts'
import type { Desk } from '../desk.ts'
import type { ContextOptions } from '../user.ts'

/** What `selfsame/client/adapters/ai` offers: Selfsame in the AI SDK. */

/** The tools of an agent, or some of them by name, for `generateText`, `streamText` and agents. */
export function selfsameTools(desk: Desk, names: readonly string[] = TOOLS.map(({ name }) => name)): ToolSet {
  const chosen = TOOLS.filter(({ name }) => names.includes(name))
  return Object.fromEntries(
    chosen.map(each => [
      each.name,
      tool({
        description: each.describe(desk.tools),
        inputSchema: each.input,
        // The text, in which stored text is quoted, is what goes to the model; a refusal says what to do.
        execute: async (input: unknown) => textOf(await callTool(desk.tools, each, input)),
      }),
    ]),
  )
}

export interface PrepareOptions extends Pick<ContextOptions, 'tokens' | 'task'> {
  readonly desk: Desk
  readonly user: string
  /** What the model is told besides. */
  readonly system?: string
}

/** For `prepareStep`: before each step the model is told what is known of the user by then, within the budget. */
export function prepareContext({ desk, user, system, ...options }: PrepareOptions) {
  return async (): Promise<{ system: string }> => {
    const context = await desk.user(user).context({ tokens: DEFAULT_TOKENS, ...options })
    return { system: system === undefined ? context : `${system}\n\n${context}` }
  }
}

const DEFAULT_TOKENS = 1_000

const textOf = ({ content }: { readonly content: readonly { readonly text: string }[] }): string =>
  content.map(({ text }) => text).join('\n')
