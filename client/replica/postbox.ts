import { type Refusal, SelfsameError } from '../../model/error.ts'
import type { ItemOutcome, ObserveAnswer } from '../../model/wire/frame.ts'
import type { Backoff } from '../backoff.ts'
import { type Answer, bodyOf } from '../frame.ts'
import { refusal } from '../refusal.ts'
import type { Spoken } from '../said.ts'
import type { Asking } from '../watches.ts'

const MAX_WORDS = 10_000
/** Of one request: far below what the server takes, however many bytes a character has. */
const MAX_CHARS = 65_536
const MAX_AT_ONCE = 256

/** Refusals of a moment: the words stay and are sent again a little later. */
const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'overloaded', 'stopped', 'internal'])

export interface PostboxOptions {
  readonly user: string
  readonly connection: Asking
  readonly backoff: Backoff
  /** What became of a word; `isAwaited` when someone in this program waits for it. */
  readonly settled: (word: Spoken, outcome: ItemOutcome, isAwaited: boolean) => void
}

interface Waiting {
  readonly resolve: (outcome: ItemOutcome) => void
  readonly reject: (error: Error) => void
}

interface Posted {
  readonly word: Spoken
  readonly chars: number
  readonly waiting: Waiting[]
  isSent: boolean
}

/**
 * Own words until they have their outcome, however long that takes. Each has its id from the first, so what is sent again
 * after a lost connection counts once; and who says a thing twice under one id hears the one outcome twice.
 */
export class Postbox {
  readonly #options: PostboxOptions
  readonly #posted = new Map<string, Posted>()
  #isUp = false
  #pause: ReturnType<typeof setTimeout> | undefined

  constructor(options: PostboxOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#posted.size
  }

  get words(): Iterable<Spoken> {
    return [...this.#posted.values()].map(({ word }) => word)
  }

  /** What an earlier run of the program left. */
  recover(words: Iterable<Spoken>): void {
    for (const word of words) this.#add(word)
  }

  /** Takes words in, or none of them; what is returned settles with the outcome of each. */
  post(words: readonly Spoken[]): Promise<ItemOutcome>[] {
    if (this.size + words.length > MAX_WORDS)
      throw refusal('overloaded', `${MAX_WORDS} words wait for their outcome already.`)
    for (const word of words) this.#bodyOf([word])
    return words.map(word => this.#await(this.#posted.get(word.id) ?? this.#add(word)))
  }

  /** On a connection that is up: sends all that has no outcome. */
  up(): void {
    this.#isUp = true
    this.send()
  }

  /** What was sent is not answered any more. */
  down(): void {
    this.#isUp = false
    for (const posted of this.#posted.values()) posted.isSent = false
  }

  end(error: Error): void {
    this.#isUp = false
    clearTimeout(this.#pause)
    for (const { waiting } of this.#posted.values()) for (const { reject } of waiting.splice(0)) reject(error)
  }

  send(): void {
    if (!this.#isUp || this.#pause) return
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      const body = this.#bodyOf(batch.map(({ word }) => word))
      if (this.#options.connection.ask(body, answer => this.#answered(batch, answer)) === undefined) return
      for (const posted of batch) posted.isSent = true
    }
  }

  #next(): Posted[] {
    const batch: Posted[] = []
    let chars = 0
    for (const posted of this.#posted.values()) {
      if (posted.isSent) continue
      chars += posted.chars
      if (batch.length === MAX_AT_ONCE || (batch.length > 0 && chars > MAX_CHARS)) break
      batch.push(posted)
    }
    return batch
  }

  #add(word: Spoken): Posted {
    const posted = { word, chars: JSON.stringify(word).length, waiting: [], isSent: false }
    this.#posted.set(word.id, posted)
    return posted
  }

  #await({ waiting }: Posted): Promise<ItemOutcome> {
    const outcome = new Promise<ItemOutcome>((resolve, reject) => waiting.push({ resolve, reject }))
    // Whoever called waits for all of them; that one is rejected before the others are waited for is no fault.
    outcome.catch(() => undefined)
    return outcome
  }

  #bodyOf(observations: readonly Spoken[]): string {
    return bodyOf({ op: 'observe', user: this.#options.user, observations })
  }

  #answered(batch: readonly Posted[], answer: Answer): void {
    if ('ok' in answer) this.#settle(batch, (answer.ok as ObserveAnswer).outcomes)
    else if (PASSING.has(answer.error.code)) this.#later(batch)
    else this.#settle(batch, batch.map(refusedBy(answer.error)))
  }

  #settle(batch: readonly Posted[], outcomes: readonly ItemOutcome[]): void {
    this.#options.backoff.reset()
    for (const [i, { word, waiting }] of batch.entries()) {
      const outcome = outcomes[i]
      if (!outcome) throw new SelfsameError({ code: 'internal', message: 'The server left an outcome out.' })
      this.#posted.delete(word.id)
      this.#options.settled(word, outcome, waiting.length > 0)
      for (const { resolve } of waiting) resolve(outcome)
    }
  }

  #later(batch: readonly Posted[]): void {
    for (const posted of batch) posted.isSent = false
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined
      this.send()
    }, this.#options.backoff.next())
  }
}

const refusedBy =
  (error: Refusal) =>
  ({ word }: Posted): ItemOutcome => ({ id: word.id, status: 'refused', error })
