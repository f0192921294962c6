import type { Change } from './cells.ts'

/**
 * Collects changes while a flush is under way and hands them on together to the next. One flush at a time: a failed
 * one then fails its own writers and all after them, and nobody else. What waits is bounded by the callers, who wait
 * for each user's commit before they form the next (Turns), and by the deadline of the flush (GuardedCells).
 */
export class GroupCommit {
  readonly #flush: (changes: readonly Change[]) => Promise<void>
  #waiting: Change[] = []
  #next: Promise<void> | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(flush: (changes: readonly Change[]) => Promise<void>) {
    this.#flush = flush
  }

  write(changes: readonly Change[]): Promise<void> {
    for (const change of changes) this.#waiting.push(change)
    this.#next ??= this.#start()
    return this.#next
  }

  /** Settles when everything handed over so far is flushed. */
  async idle(): Promise<void> {
    await (this.#next ?? this.#last)
  }

  async #start(): Promise<void> {
    await this.#last
    // Those whom the last flush answered write again in this turn: they shall share the next one.
    await new Promise(resolve => setImmediate(resolve))
    const changes = this.#waiting
    this.#waiting = []
    this.#next = undefined
    this.#last = this.#flush(changes)
    await this.#last
  }
}
