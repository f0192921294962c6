import { ok, type Result, refuse } from '../../model/error.ts'
import type { Role } from '../../model/role.ts'
import type { Schema } from '../../model/schema.ts'
import type { View } from '../../model/view.ts'
import { type Fitted, fitPage } from './fitting.ts'
import { type Facts, json } from './json.ts'
import { markdown } from './markdown.ts'
import { type Ranking, rank } from './ranking.ts'
import { o200k, type Tokenizer } from './tokenizer.ts'

const DEFAULT_TOKENS = 1_200
export const MIN_TOKENS = 50
export const MAX_TOKENS = 32_000

export const FORMATS = ['markdown', 'json'] as const

export interface ContextRequest {
  readonly schema: Schema
  readonly role: Role
  /** What the reader may read, and no more. */
  readonly view: View
  readonly time: number
  readonly tokens?: number | undefined
  readonly format?: (typeof FORMATS)[number] | undefined
  /** Show stale beliefs as well. */
  readonly stale?: boolean | undefined
  readonly count?: Tokenizer | undefined
}

/** What a model is told of a user before it speaks to them. */
export type Context = (
  | { readonly format: 'markdown'; readonly text: string }
  | { readonly format: 'json'; readonly context: Facts }
) & {
  /** Tokens of the text, or of the context as JSON: never more than were asked for. */
  readonly tokens: number
  readonly trimmed: readonly Trimmed[]
}

/** A field of the view that is not shown. Secret ones are not listed: a context knows nothing of them. */
export interface Trimmed {
  readonly field: string
  readonly reason: 'budget' | 'stale'
}

export function contextOf(request: ContextRequest): Result<Context> {
  const { schema, role, view, time, tokens = DEFAULT_TOKENS, format = 'markdown', count = o200k } = request
  if (!isBudget(tokens)) return badBudget()
  const ranking = rank(schema, role, view, request.stale ?? false)
  const task = { ranking, time, tokens, count }
  if (format === 'json') {
    const fitted = fitPage({ ...task, format: json })
    return fitted.ok ? ok({ format, context: fitted.value.written, ...reportOf(ranking, fitted.value) }) : fitted
  }
  const fitted = fitPage({ ...task, format: markdown })
  return fitted.ok ? ok({ format, text: fitted.value.written, ...reportOf(ranking, fitted.value) }) : fitted
}

const reportOf = (ranking: Ranking, { tokens, dropped }: Fitted<unknown>) => ({
  tokens,
  trimmed: [
    ...dropped.map((field): Trimmed => ({ field, reason: 'budget' })),
    ...ranking.stale.map((field): Trimmed => ({ field, reason: 'stale' })),
  ],
})

const isBudget = (tokens: number): boolean => Number.isInteger(tokens) && tokens >= MIN_TOKENS && tokens <= MAX_TOKENS

const badBudget = (): Result<never> => {
  const message = `expected a whole number from ${MIN_TOKENS} to ${MAX_TOKENS}`
  return refuse('bad_request', `tokens: ${message}`, [{ path: 'tokens', message }])
}
