import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Session } from './session.ts'

const MAX_TICKETS = 100_000
const TICKET_BYTES = 24

/**
 * What a browser shows instead of its token when it opens a socket, as it can't set a header there and a token must not
 * stand in a URL. A ticket admits reconnects of the same session until the token ends.
 */
export class Tickets {
  readonly #sessions = new LRUCache<string, Session>({ max: MAX_TICKETS })

  issue(session: Session): string {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url')
    this.#sessions.set(ticket, session)
    return ticket
  }

  redeem(ticket: string): Session | undefined {
    return this.#sessions.get(ticket)
  }
}
