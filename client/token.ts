/** A token, or what fetches one: called again when the one in use has ended. */
export type Token = string | (() => string | Promise<string>)

/** The token in use. One that the server turned down is replaced once; if the next is turned down too, that is final. */
export class TokenSource {
  readonly #given: Token
  #current: string | undefined
  #renewed = false

  constructor(given: Token) {
    this.#given = given
  }

  async get(): Promise<string> {
    this.#current ??= typeof this.#given === 'string' ? this.#given : await this.#given()
    return this.#current
  }

  accepted(): void {
    this.#renewed = false
  }

  /** Whether there will be another token to try. */
  renew(): boolean {
    if (typeof this.#given === 'string' || this.#renewed) return false
    this.#renewed = true
    this.#current = undefined
    return true
  }
}
