/** Time that stands still until a test moves it. */
export class Clock {
  #time: number

  constructor(time = Date.UTC(2026, 0, 5, 9)) {
    this.#time = time
  }

  readonly now = (): number => this.#time

  advance(milliseconds: number): void {
    this.#time += milliseconds
  }
}

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
