/** So many may wait for one name: more than that is a caller that does not wait for answers. */
export const MAX_WAITING = 1_024

/** Runs the works of one name one after another, and those of different names side by side. */
export class Turns {
  readonly #queues = new Map<string, { last: Promise<unknown>; length: number }>()

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(name) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length >= MAX_WAITING)
      return Promise.reject(new RangeError(`More than ${MAX_WAITING} commits wait for one user.`))
    this.#queues.set(name, queue)
    queue.length += 1
    const turn = queue.last.then(work)
    // The next turn comes whatever became of this one, which its own caller is told.
    queue.last = turn.then(
      () => this.#leave(name, queue),
      () => this.#leave(name, queue),
    )
    return turn
  }

  /** Settles when all that was queued has had its turn. */
  async idle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map(queue => queue.last))
  }

  #leave(name: string, queue: { length: number }): void {
    queue.length -= 1
    if (queue.length === 0) this.#queues.delete(name)
  }
}
