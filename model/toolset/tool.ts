import { z } from 'zod'
import { detailsOf } from '../definition.ts'
import { CODES, SelfsameError } from '../error.ts'
import type { ToolDesk } from './desk.ts'

/** What a tool says: to be read by a model, and the same as data. */
export interface Told {
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
}

/** How a tool behaves, in the words of MCP. */
export interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export interface Tool {
  readonly name: string
  readonly title: string
  /** For a model that has never seen it; may name what this agent's role allows. */
  readonly describe: (desk: ToolDesk) => string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly hints: Hints
  /** Input as it came; rejects with a `SelfsameError`. */
  readonly run: (desk: ToolDesk, input: unknown) => Promise<Told>
}

interface Making<Input extends z.ZodObject> extends Omit<Tool, 'run' | 'input' | 'describe'> {
  readonly input: Input
  readonly describe: string | ((desk: ToolDesk) => string)
  readonly run: (desk: ToolDesk, input: z.infer<Input>) => Promise<Told>
}

export const tool = <Input extends z.ZodObject>({ input, describe, run, ...rest }: Making<Input>): Tool => ({
  ...rest,
  input,
  describe: typeof describe === 'string' ? () => describe : describe,
  run: (desk, given) => run(desk, read(input, given)),
})

function read<Input extends z.ZodObject>(shape: Input, given: unknown): z.infer<Input> {
  const parsed = shape.safeParse(given)
  if (parsed.success) return parsed.data
  const details = detailsOf(parsed.error)
  const [first] = details
  throw new SelfsameError({ code: 'bad_request', message: `${first?.path || 'input'}: ${first?.message}`, details })
}

export const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
export const ADDS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
export const REPEATS: Hints = { ...ADDS, idempotentHint: true }
export const ENDS: Hints = { ...ADDS, destructiveHint: true }

/** The result of a call in the shape of MCP. A refusal is a result as well, so that the model can act on it. */
export interface ToolResult {
  readonly [key: string]: unknown
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
}

export async function callTool(desk: ToolDesk, { run }: Tool, input: unknown): Promise<ToolResult> {
  try {
    const { text, data } = await run(desk, input)
    return { content: [{ type: 'text', text }], structuredContent: { ...data } }
  } catch (error) {
    if (!(error instanceof SelfsameError)) throw error
    return { content: [{ type: 'text', text: refusalText(error) }], isError: true }
  }
}

/** `fenced: You started it, and no longer hold it. What to do: …` */
export const refusalText = ({ code, message, details }: SelfsameError): string =>
  [
    `${code}: ${message}`,
    ...details.slice(1).map(detail => `- ${detail.path}: ${detail.message}`),
    `What to do: ${CODES[code]}`,
  ].join('\n')

export const userShape = z.string().describe('Id of the user, such as "u_42": letters, digits and _ . : ~ -')
