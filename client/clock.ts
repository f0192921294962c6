/** Milliseconds since some moment; never set back or forward while the program runs. */
export type Monotonic = () => number

/**
 * The server's time, as far as this side can know it: what `hello` said plus what has passed since. The message was under
 * way for a while, so this clock is behind the server's by that much and never ahead: no word is refused as of the future,
 * however wrong the clock of this machine is or is set to be later.
 */
export class Clock {
  readonly #monotonic: Monotonic
  #ahead = 0

  constructor(monotonic: Monotonic) {
    this.#monotonic = monotonic
  }

  set(serverTime: number): void {
    this.#ahead = serverTime - this.#monotonic()
  }

  now(): number {
    return Math.floor(this.#monotonic() + this.#ahead)
  }
}
