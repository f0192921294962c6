import { z } from 'zod'
import type { Session } from './session.ts'

/** What was revoked, until no token it concerns can be valid any more. */
const entry = z.object({
  token: z.string().optional(),
  agent: z.string().optional(),
  time: z.number(),
  until: z.number(),
})
const entries = z.array(entry)
type Entry = z.infer<typeof entry>

export interface RevocationPlace {
  read(): unknown
  write(entries: unknown): Promise<void>
}

/** How long a revocation is kept: longer than any token lives. */
const KEPT = 366 * 86_400_000

/** Tokens and agents that are no longer let in. An agent's revocation ends every token it had until then. */
export class Revocations {
  readonly #place: RevocationPlace
  readonly #tokens = new Map<string, Entry>()
  readonly #agents = new Map<string, Entry>()

  constructor(place: RevocationPlace) {
    this.#place = place
    for (const known of entries.parse(place.read() ?? [])) this.#note(known)
  }

  has(session: Session): boolean {
    const agent = this.#agents.get(session.agent)
    return this.#tokens.has(session.tokenId) || (agent !== undefined && session.issued <= agent.time)
  }

  /** In force at once here; settles when it also survives a restart. */
  async add(
    what: { readonly token?: string | undefined; readonly agent?: string | undefined },
    now: number,
  ): Promise<void> {
    this.#note({ ...what, time: now, until: now + KEPT })
    const all = [...this.#tokens.values(), ...this.#agents.values()].filter(known => known.until > now)
    await this.#place.write(all)
  }

  #note(known: Entry): void {
    if (known.token !== undefined) this.#tokens.set(known.token, known)
    if (known.agent !== undefined) this.#agents.set(known.agent, known)
  }
}
