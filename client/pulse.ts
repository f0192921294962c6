import type { Monotonic } from './clock.ts'

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
 * server's pings, so this side asks for an answer instead of relying on them. It counts as gone only after it was asked:
 * a program that was itself asleep or busy all the while has heard nothing either.
 */
export class Pulse {
  readonly #rhythm: Rhythm
  readonly #monotonic: Monotonic
  readonly #actions: Actions
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastHeard: number
  #isAsked = false

  constructor(rhythm: Rhythm, monotonic: Monotonic, actions: Actions) {
    this.#rhythm = rhythm
    this.#monotonic = monotonic
    this.#actions = actions
    this.#lastHeard = monotonic()
    this.#listen(rhythm.quiet)
  }

  /** Called for every message: a timer is touched only for the first after a silence. */
  heard(): void {
    this.#lastHeard = this.#monotonic()
    if (this.#isAsked) this.#listen(this.#rhythm.quiet)
    this.#isAsked = false
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #listen(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#look(), milliseconds)
  }

  #look(): void {
    const quiet = this.#monotonic() - this.#lastHeard
    if (quiet < this.#rhythm.quiet) this.#listen(this.#rhythm.quiet - quiet)
    else if (this.#isAsked) this.#actions.gone()
    else this.#ask()
  }

  #ask(): void {
    this.#isAsked = true
    this.#listen(this.#rhythm.silence - this.#rhythm.quiet)
    this.#actions.ask()
  }
}
