import { ok, type Result, refuse } from '../../model/error.ts'
import { type Fact, factOf } from './fact.ts'
import type { Format, Page } from './page.ts'
import type { Ranked, Ranking } from './ranking.ts'
import type { Tokenizer } from './tokenizer.ts'

export interface Task<T> {
  readonly ranking: Ranking
  readonly time: number
  readonly format: Format<T>
  readonly tokens: number
  readonly count: Tokenizer
}

export interface Fitted<T> {
  readonly written: T
  readonly tokens: number
  /** Fields that did not fit. */
  readonly dropped: readonly string[]
}

/** How many characters a value may take. Shorter values are tried before required fields are given up on. */
const ROOMS = [400, 120, 40] as const
/** After so many facts in a row that do not fit, none is looked for that might: reads of large models stay cheap. */
const MAX_MISFITS = 16

/**
 * As much of a ranking as the budget holds. The smallest page, with only what is required, is counted as a whole; every
 * further fact is counted by itself, and the result is counted as a whole again, since tokens of a joined text are not
 * always the sum. If that is too many, last ones go until it fits, at the latest when the smallest page is left.
 */
export function fitPage<T>(task: Task<T>): Result<Fitted<T>> {
  let least = Number.POSITIVE_INFINITY
  for (const room of ROOMS) {
    const draft = new Draft(task, room)
    if (draft.tokens <= task.tokens) return ok(draft.filled())
    least = Math.min(least, draft.tokens)
  }
  return tooFew(least)
}

const tooFew = (least: number): Result<never> =>
  refuse(
    'bad_request',
    `What your role needs and what is pinned takes ${least} tokens at least: ask for that many, or pin fewer fields.`,
    [{ path: 'tokens', message: `expected at least ${least}` }],
  )

interface Addition {
  readonly fact: Fact
  readonly tokens: number
}

/** A page in the making, at one length of values. */
class Draft<T> {
  /** Of the smallest page. */
  readonly tokens: number
  readonly #task: Task<T>
  readonly #room: number
  readonly #required: readonly Fact[]

  constructor(task: Task<T>, room: number) {
    this.#task = task
    this.#room = room
    this.#required = task.ranking.required.map(ranked => this.#factOf(ranked))
    this.tokens = this.#count(this.#write([]))
  }

  filled(): Fitted<T> {
    const additions = this.#additions()
    let written = this.#write(additions)
    let tokens = this.#count(written)
    while (tokens > this.#task.tokens) {
      drop(additions, tokens - this.#task.tokens)
      written = this.#write(additions)
      tokens = this.#count(written)
    }
    const kept = new Set(additions.map(({ fact }) => fact.field))
    const dropped = this.#task.ranking.optional.map(({ field }) => field).filter(field => !kept.has(field))
    return { written, tokens, dropped }
  }

  #factOf({ field, belief }: Ranked): Fact {
    return factOf(field, belief, this.#task.time, this.#room)
  }

  #additions(): Addition[] {
    const additions: Addition[] = []
    let left = this.#task.tokens - this.tokens
    let misfits = 0
    for (const ranked of this.#task.ranking.optional) {
      if (misfits === MAX_MISFITS) break
      const fact = this.#factOf(ranked)
      const tokens = this.#task.count(this.#task.format.part(fact))
      misfits = tokens > left ? misfits + 1 : 0
      if (tokens > left) continue
      additions.push({ fact, tokens })
      left -= tokens
    }
    return additions
  }

  #write(additions: readonly Addition[]): T {
    const { needs, optional, stale } = this.#task.ranking
    const facts = [...this.#required, ...additions.map(({ fact }) => fact)]
    const leftOut = { budget: optional.length - additions.length, stale: stale.length }
    const page: Page = { time: this.#task.time, needs, facts, leftOut }
    return this.#task.format.write(page)
  }

  #count(written: T): number {
    return this.#task.count(this.#task.format.textOf(written))
  }
}

/** At least one goes, so that dropping ends. */
function drop(additions: Addition[], excess: number): void {
  let freed = 0
  while (freed < excess) {
    const last = additions.pop()
    if (!last) return
    freed += last.tokens
  }
}
