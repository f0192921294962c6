interface Awaited {
  readonly seq: number
  readonly resolve: () => void
}

/** Those who wait for a write to be there. */
export class Arrivals {
  readonly #awaited = new Set<Awaited>()

  /** Whether it came within so many milliseconds. */
  wait(seq: number, deadline: number): Promise<boolean> {
    return new Promise(resolve => {
      const awaited = { seq, resolve: () => done(true) }
      const timer = setTimeout(() => done(false), deadline)
      const done = (reached: boolean) => {
        clearTimeout(timer)
        this.#awaited.delete(awaited)
        resolve(reached)
      }
      this.#awaited.add(awaited)
    })
  }

  reached(seq: number): void {
    for (const awaited of this.#awaited) if (awaited.seq <= seq) awaited.resolve()
  }
}
