import { z } from 'zod'
import type { Session } from './session.ts'

/** What was revoked, until no token it concerns can be valid any more. */
const entry = z.strictObject({
  token: z.string().optional(),
  /** What stands for an agent: it may be a user, who may be erased. */
  digest: z.string().optional(),
  time: z.number(),
  until: z.number(),
})
const entries = z.array(entry)
type Entry = z.infer<typeof entry>

export interface RevocationPlace {
  read(): unknown
  write(entries: unknown): Promise<void>
  digestOf(agent: string): string
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
    if (this.#tokens.has(session.tokenId)) return true
    const agent = this.#agents.size > 0 ? this.#agents.get(this.#place.digestOf(session.agent)) : undefined
    return agent !== undefined && session.issued <= agent.time
  }

  /** In force at once here; settles when it also survives a restart. */
  async add(
    { token, agent }: { readonly token?: string | undefined; readonly agent?: string | undefined },
    now: number,
  ): Promise<void> {
    const digest = agent === undefined ? undefined : this.#place.digestOf(agent)
    this.#note({ token, digest, time: now, until: now + KEPT })
    const all = [...this.#tokens.values(), ...this.#agents.values()].filter(known => known.until > now)
    await this.#place.write(all)
  }

  #note(known: Entry): void {
    if (known.token !== undefined) this.#tokens.set(known.token, known)
    if (known.digest !== undefined) this.#agents.set(known.digest, known)
  }
}
