/** The first wait is below BASE, each further bound is twice the last, and no bound exceeds CAP. */
const BASE = 250
const CAP = 30_000

/** From 0 to 1, 1 excluded. */
export type Random = () => number

/**
 * Exponential backoff with full jitter: evenly anywhere below the bound, so that the clients of a server that comes back
 * don't all arrive in the same moment.
 */
export class Backoff {
  readonly #random: Random
  #attempt = 0

  constructor(random: Random) {
    this.#random = random
  }

  next(): number {
    const bound = boundOf(this.#attempt)
    this.#attempt += 1
    return Math.floor(this.#random() * bound)
  }

  reset(): void {
    this.#attempt = 0
  }
}

export const boundOf = (attempt: number): number => Math.min(CAP, BASE * 2 ** attempt)
