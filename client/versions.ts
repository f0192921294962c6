const MAX_REMEMBERED = 10_000

interface Known {
  readonly version: string
  readonly order: number
}

/**
 * The version of each user that this side has been told of, so that its next read shows at least its own writes.
 * Versions can't be compared and answers come in any order; but a user's writes are committed in the order they were
 * sent, so the version of the later write is the later one, whenever its answer comes.
 */
export class Versions {
  readonly #known = new Map<string, Known>()

  of(user: string): string | undefined {
    return this.#known.get(user)?.version
  }

  wrote(user: string, version: string, order: number): void {
    const known = this.#known.get(user)
    if (!known || known.order <= order) this.#remember(user, { version, order })
  }

  /** A read that asked for at least what is still the latest known has seen that or more. */
  read(user: string, asked: string | undefined, version: string): void {
    const known = this.#known.get(user)
    if (known?.version === asked) this.#remember(user, { version, order: known?.order ?? 0 })
  }

  /** The server does not get there: it was restored from a copy, say. The next read takes what there is. */
  forget(user: string, version: string): void {
    if (this.of(user) === version) this.#known.delete(user)
  }

  #remember(user: string, known: Known): void {
    this.#known.delete(user)
    this.#known.set(user, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest)
  }
}
