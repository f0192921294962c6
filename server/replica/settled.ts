import { LRUCache } from 'lru-cache'
import { z } from 'zod'

const MAX_AGENTS = 256
const MAX_CLIENTS = 64

/** Every entry below `clock` has its outcome, and who has this many receipts of this author has been told all of them. */
const markShape = z.object({ clock: z.int(), author: z.int(), receipts: z.int() })

const noteShape = z.array(z.tuple([z.string(), z.array(z.tuple([z.int(), markShape]))]))

type Mark = z.infer<typeof markShape>

/**
 * How far each client's own history is settled, by agent. A client sends again all that is not claimed so. It is claimed
 * only of a document that holds the receipts: one that lost them on the way, or was put back from a copy, would else
 * keep its entries for ever without hearing what became of them. What is sent twice counts once, by the ledger.
 */
export class Settled {
  readonly #byAgent = new LRUCache<string, LRUCache<number, Mark>>({ max: MAX_AGENTS })
  #isDirty = false

  constructor(note: unknown) {
    const known = noteShape.safeParse(note)
    for (const [agent, clients] of known.success ? known.data : [])
      for (const [client, mark] of clients) this.#of(agent).set(client, mark)
  }

  get isDirty(): boolean {
    return this.#isDirty
  }

  /** What is settled of each client, as far as a document with these clocks knows. */
  claims(agent: string, has: ReadonlyMap<number, number>): Map<number, number> {
    const marks = [...(this.#byAgent.get(agent)?.entries() ?? [])]
    const known = marks.filter(([, { author, receipts }]) => (has.get(author) ?? 0) >= receipts)
    return new Map(known.map(([client, { clock }]) => [client, clock]))
  }

  mark(agent: string, client: number, mark: Mark): void {
    this.#of(agent).set(client, mark)
    this.#isDirty = true
  }

  note(): unknown {
    this.#isDirty = false
    return [...this.#byAgent.entries()].map(([agent, clients]) => [agent, [...clients.entries()]])
  }

  #of(agent: string): LRUCache<number, Mark> {
    const known = this.#byAgent.get(agent)
    if (known) return known
    const clients = new LRUCache<number, Mark>({ max: MAX_CLIENTS })
    this.#byAgent.set(agent, clients)
    return clients
  }
}
