import type { Policy } from './policy.ts'
import type { Revocations } from './revocation.ts'
import type { Session } from './session.ts'
import type { Tickets } from './ticket.ts'
import type { Verify } from './token.ts'

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i

/** Lets in who shows a valid token or ticket, and tells later whether they may stay. */
export class Gate {
  readonly tickets: Tickets
  readonly revocations: Revocations
  readonly #verify: Verify
  readonly #policy: Policy
  readonly #now: () => number

  constructor(verify: Verify, tickets: Tickets, revocations: Revocations, policy: Policy, now: () => number) {
    this.#policy = policy
    this.#verify = verify
    this.tickets = tickets
    this.revocations = revocations
    this.#now = now
  }

  /** By the Authorization header. */
  async byHeader(header: string | undefined): Promise<Session | undefined> {
    const token = BEARER.exec(header ?? '')?.[1]
    const session = token === undefined ? undefined : await this.#verify(token, this.#now())
    return session && this.admits(session) ? session : undefined
  }

  byTicket(ticket: string): Session | undefined {
    const issued = this.tickets.redeem(ticket)
    const session = issued && this.#policy.sessionNow(issued)
    return session && this.admits(session) ? session : undefined
  }

  admits(session: Session): boolean {
    return session.expires > this.#now() && !this.revocations.has(session)
  }
}
