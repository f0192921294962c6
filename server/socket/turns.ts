/** Someone who has something to do, in steps. */
export interface Worker {
  /** Does one step. Whether there is another. */
  step(): boolean
}

/** Milliseconds of work after which the event loop has its turn. */
const SLICE = 5

/**
 * Lets many take turns, one step each, and the event loop in between: who sends a thousand heavy messages is served as
 * often as who sends a light one, and nobody's messages hold up timers, pings and answers.
 */
export class Turns {
  #waiting: Worker[] = []
  #isRunning = false

  /** For one that is not waiting already. */
  add(worker: Worker): void {
    this.#waiting.push(worker)
    if (this.#isRunning) return
    this.#isRunning = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    const until = performance.now() + SLICE
    do this.#round(until)
    while (this.#waiting.length > 0 && performance.now() < until)
    if (this.#waiting.length > 0) setImmediate(() => this.#run())
    else this.#isRunning = false
  }

  /** One step of each, as far as there is time; who did not have its turn is the first of the next round. */
  #round(until: number): void {
    const workers = this.#waiting
    this.#waiting = []
    let next = 0
    const again: Worker[] = []
    do {
      const worker = workers[next++]
      if (worker?.step()) again.push(worker)
    } while (next < workers.length && performance.now() < until)
    this.#waiting = [...workers.slice(next), ...this.#waiting, ...again]
  }
}
