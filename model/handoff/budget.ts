import { ok, type Result, refuse } from '../error.ts'
import { type Part, written } from './narrative.ts'

/**
 * How much of a narrative is told: `full` all of it or nothing; `priority` the most important that fit; `summary+refs` what
 * must be told and references to the rest; `lazy` only what must be told.
 */
export const STRATEGIES = ['full', 'priority', 'summary+refs', 'lazy'] as const
export type Strategy = (typeof STRATEGIES)[number]

export interface BudgetReport {
  readonly strategy: Strategy
  /** null: there was no budget, and nothing was counted. */
  readonly allowed: number | null
  readonly used: number | null
  readonly trimmed: readonly Trimmed[]
}

export interface Trimmed {
  readonly what: string
  readonly why: 'budget' | 'reference' | 'lazy'
}

export interface Told {
  readonly text: string
  readonly report: BudgetReport
}

/** Counts the tokens of a text. */
export type Count = (text: string) => number

/** The parts that fit, in their order. The whole is counted again at the end: joined texts are not the sum of their parts. */
export function fitted(parts: readonly Part[], strategy: Strategy, allowed: number | null, count: Count): Result<Told> {
  const chosen = chosenBy(strategy, parts)
  if (allowed === null) return ok(told(parts, chosen, strategy, null, null))
  const required = chosen.filter(part => part.required)
  const least = count(written(strategy === 'full' ? chosen : required))
  if (least > allowed) return refuse('over_budget', `What must not be left out takes ${least} tokens, not ${allowed}.`)
  const kept = filled(chosen, required, allowed - least, count)
  let text = written(kept)
  while (count(text) > allowed) {
    kept.splice(
      kept.findLastIndex(part => !part.required),
      1,
    )
    text = written(kept)
  }
  return ok(told(parts, kept, strategy, allowed, count(text)))
}

function chosenBy(strategy: Strategy, parts: readonly Part[]): Part[] {
  if (strategy === 'lazy') return parts.filter(({ required }) => required)
  if (strategy !== 'summary+refs') return [...parts]
  const few = parts.filter(({ required, ref }) => required || ref === undefined)
  const refs = parts.filter(({ required, ref }) => !required && ref !== undefined)
  return [...few, ...refs.map(part => ({ ...part, title: 'To fetch', text: part.name }))]
}

function filled(chosen: readonly Part[], required: readonly Part[], room: number, count: Count): Part[] {
  const kept = new Set(required)
  let left = room
  for (const part of chosen) {
    if (part.required) continue
    const tokens = count(`\n## ${part.title}\n- ${part.text}`)
    if (tokens > left) continue
    left -= tokens
    kept.add(part)
  }
  return chosen.filter(part => kept.has(part))
}

function told(
  parts: readonly Part[],
  kept: readonly Part[],
  strategy: Strategy,
  allowed: number | null,
  used: number | null,
): Told {
  const whole = new Set(kept.map(({ text, name }) => `${name}\n${text}`))
  const named = new Set(kept.map(({ name }) => name))
  const trimmed = parts
    .filter(({ name, text }) => !whole.has(`${name}\n${text}`))
    .map(
      ({ name }): Trimmed => ({
        what: name,
        why: named.has(name) ? 'reference' : strategy === 'lazy' ? 'lazy' : 'budget',
      }),
    )
  return { text: written(kept), report: { strategy, allowed, used, trimmed } }
}
