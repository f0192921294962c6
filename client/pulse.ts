/** After `quiet` without a sign of the other side it is asked for one; after `silence` it counts as gone. */
export interface Rhythm {
  readonly quiet: number
  readonly silence: number
}

export const RHYTHM: Rhythm = { quiet: 20_000, silence: 45_000 }

interface Actions {
  ask(): void
  gone(): void
}

/**
 * Finds out that a connection is only half there: the other side is gone and nothing says so. Browsers don't show the
 * server's pings, so this side asks for an answer instead of relying on them.
 */
export class Pulse {
  readonly #rhythm: Rhythm
  readonly #actions: Actions
  #timer: ReturnType<typeof setTimeout> | undefined
  #heard = true

  constructor(rhythm: Rhythm, actions: Actions) {
    this.#rhythm = rhythm
    this.#actions = actions
    this.#listen()
  }

  /** Called for every message: no timer is touched here. */
  heard(): void {
    this.#heard = true
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #listen(): void {
    this.#heard = false
    this.#timer = setTimeout(() => (this.#heard ? this.#listen() : this.#doubt()), this.#rhythm.quiet)
  }

  #doubt(): void {
    const left = this.#rhythm.silence - this.#rhythm.quiet
    this.#timer = setTimeout(() => (this.#heard ? this.#listen() : this.#actions.gone()), left)
    this.#actions.ask()
  }
}
