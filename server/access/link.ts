import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { SelfsameError } from '../../model/error.ts'
import type { Guest, SignedLinks } from './signed-link.ts'

export interface SignedIn {
  readonly token: string
  readonly expires: number
}

const MAX_LINKS = 10_000
const LIFE = 15 * 60_000
const CODE_BYTES = 24

/** Codes in links that sign a person in, once. What may end up in a history or a log is worth nothing afterwards. */
export class Links {
  readonly #guests = new LRUCache<string, Guest & { readonly until: number }>({ max: MAX_LINKS })
  readonly #signIn: (guest: Guest) => Promise<SignedIn>
  readonly #now: () => number
  readonly #signed: SignedLinks | undefined

  constructor(signIn: (guest: Guest) => Promise<SignedIn>, now: () => number, signed?: SignedLinks) {
    this.#signIn = signIn
    this.#now = now
    this.#signed = signed
  }

  issue(guest: Guest): string {
    const code = randomBytes(CODE_BYTES).toString('base64url')
    this.#guests.set(code, { ...guest, until: this.#now() + LIFE })
    return code
  }

  async redeem(code: string): Promise<SignedIn> {
    const guest = this.#issued(code) ?? (await this.#signed?.take(code))
    if (!guest)
      throw new SelfsameError({ code: 'unauthorized', message: 'This link was used or is too old. Ask for another.' })
    return this.#signIn(guest)
  }

  #issued(code: string): Guest | undefined {
    const guest = this.#guests.get(code)
    this.#guests.delete(code)
    return guest && guest.until > this.#now() ? guest : undefined
  }
}
