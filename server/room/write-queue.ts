import { SelfsameError } from '../../model/error.ts'
import type { ItemOutcome } from '../../model/wire/frame.ts'
import type { Limits } from '../limits.ts'
import type { Submission } from './commit.ts'

type Outcomes = readonly ItemOutcome[]

/** Something that must not meet a commit half-way. */
interface Turn {
  readonly work: () => Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Waiting {
  readonly submission: Submission
  readonly resolve: (outcomes: Outcomes) => void
  readonly reject: (error: unknown) => void
}

/** Writes of one user, one commit after another. What arrives during a commit shares the next one. */
export class WriteQueue {
  readonly #limits: Limits
  readonly #commit: (batch: readonly Submission[]) => Promise<readonly Outcomes[]>
  readonly #afterwards: () => Promise<void>
  readonly #waiting: Waiting[] = []
  readonly #turns: Turn[] = []
  #items = 0
  #pumping: Promise<void> | undefined

  /** `afterwards` has its turn between two commits, once the first has been answered; it must not reject. */
  constructor(
    limits: Limits,
    commit: (batch: readonly Submission[]) => Promise<readonly Outcomes[]>,
    afterwards: () => Promise<void>,
  ) {
    this.#limits = limits
    this.#commit = commit
    this.#afterwards = afterwards
  }

  submit(submission: Submission): Promise<Outcomes> {
    const { queuedPerUser } = this.#limits
    if (this.#items + submission.items.length > queuedPerUser)
      return Promise.reject(
        new SelfsameError({ code: 'overloaded', message: `${queuedPerUser} writes of this user are waiting already.` }),
      )
    this.#items += submission.items.length
    return new Promise((resolve, reject) => {
      this.#waiting.push({ submission, resolve, reject })
      this.#pumping ??= this.#pump()
    })
  }

  /** Does something while nothing is committed, before the writes that wait. */
  turn(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#turns.push({ work, resolve, reject })
      this.#pumping ??= this.#pump()
    })
  }

  /** Settles when nothing is waiting or under way any more. */
  async settled(): Promise<void> {
    while (this.#pumping) await this.#pumping
  }

  async #pump(): Promise<void> {
    await Promise.resolve()
    while (this.#turns.length + this.#waiting.length > 0) {
      for (const turn of this.#turns.splice(0)) await turn.work().then(turn.resolve, turn.reject)
      if (this.#waiting.length === 0) continue
      await this.#settle(this.#take())
      await this.#afterwards()
    }
    this.#pumping = undefined
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#commit(batch.map(({ submission }) => submission))
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i] ?? [])
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  #take(): Waiting[] {
    let items = 0
    let count = 0
    for (const { submission } of this.#waiting) {
      if (count > 0 && items + submission.items.length > this.#limits.writesPerCommit) break
      items += submission.items.length
      count++
    }
    this.#items -= items
    return this.#waiting.splice(0, count)
  }
}
