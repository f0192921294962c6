import { LRUCache } from 'lru-cache'
import { z } from 'zod'

const MAX_AGENTS = 256
const MAX_CLIENTS = 64

const noteShape = z.array(z.tuple([z.string(), z.array(z.tuple([z.int(), z.int()]))]))

/**
 * How far each client's own history is settled, by agent: up to there every entry of its outbox has its outcome. A client
 * sends again all that is not claimed so; what is forgotten here is sent twice and counts once, by the ledger.
 */
export class Settled {
  readonly #byAgent = new LRUCache<string, LRUCache<number, number>>({ max: MAX_AGENTS })
  #isDirty = false

  constructor(note: unknown) {
    const known = noteShape.safeParse(note)
    for (const [agent, clients] of known.success ? known.data : [])
      for (const [client, clock] of clients) this.#of(agent).set(client, clock)
  }

  get isDirty(): boolean {
    return this.#isDirty
  }

  claims(agent: string): ReadonlyMap<number, number> {
    return new Map(this.#byAgent.get(agent)?.entries() ?? [])
  }

  /** That all from one clock to another is settled. A run that leaves a gap can't be claimed: what is in the gap would be lost. */
  advance(agent: string, client: number, from: number, to: number): void {
    const clients = this.#of(agent)
    const before = clients.get(client) ?? 0
    if (from > before || to <= before) return
    clients.set(client, to)
    this.#isDirty = true
  }

  note(): unknown {
    this.#isDirty = false
    return [...this.#byAgent.entries()].map(([agent, clients]) => [agent, [...clients.entries()]])
  }

  #of(agent: string): LRUCache<number, number> {
    const known = this.#byAgent.get(agent)
    if (known) return known
    const clients = new LRUCache<number, number>({ max: MAX_CLIENTS })
    this.#byAgent.set(agent, clients)
    return clients
  }
}
