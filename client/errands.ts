import { SelfsameError } from '../model/error.ts'
import type { Backoff } from './backoff.ts'
import type { Calls } from './calls.ts'
import type { Answers } from './frame.ts'

const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'overloaded', 'stopped'])

/** Acts on handoffs. Each is the same act however often it is sent, so it is sent again until it is answered. */
export class Errands {
  readonly #calls: Calls
  readonly #backoff: Backoff
  readonly #timeout: number

  constructor(calls: Calls, backoff: Backoff, timeout: number) {
    this.#calls = calls
    this.#backoff = backoff
    this.#timeout = timeout
  }

  async run<Op extends keyof Answers>(op: Op, question: object): Promise<Answers[Op]> {
    const late = Date.now() + this.#timeout
    for (;;) {
      try {
        const answer = await this.#calls.call(op, question)
        this.#backoff.reset()
        return answer
      } catch (error) {
        if (!(error instanceof SelfsameError) || !PASSING.has(error.code) || Date.now() > late) throw error
        await new Promise(resolve => setTimeout(resolve, this.#backoff.next()))
      }
    }
  }
}
