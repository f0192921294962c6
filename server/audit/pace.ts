/** Lets things happen in their order, each after what it has to wait for; at once while nothing waits. */
export class Pace {
  readonly #onFault: (error: unknown) => void
  #last: Promise<void> | undefined

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  after(wait: Promise<void> | undefined, act: () => void): void {
    if (!wait && !this.#last) {
      act()
      return
    }
    const turn: Promise<void> = Promise.all([this.#last, wait])
      .then(act)
      .catch(this.#onFault)
      .then(() => {
        if (this.#last === turn) this.#last = undefined
      })
    this.#last = turn
  }
}
