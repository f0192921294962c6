import type { Party, Target } from '../../model/handoff/party.ts'
import type { Session } from '../access/session.ts'

/** Someone at a socket who can be told of offers and of what becomes of handoffs. */
export interface Listener {
  readonly session: Session
  push(text: string): void
}

/** Where agents wait to be offered work. */
export class Counter {
  readonly #byRole = new Map<string, Set<Listener>>()
  readonly #byAgent = new Map<string, Set<Listener>>()
  readonly #overhearing = new Map<string, Set<Listener>>()

  join(listener: Listener): () => void {
    const { agent, role } = listener.session
    const places: [Map<string, Set<Listener>>, string][] = [
      [this.#byRole, role.name],
      [this.#byAgent, agent],
    ]
    for (const [map, key] of places) map.set(key, (map.get(key) ?? new Set()).add(listener))
    return () => {
      for (const [map, key] of places) leave(map, key, listener)
    }
  }

  get all(): Iterable<Listener> {
    return [...this.#byAgent.values()].flatMap(listeners => [...listeners])
  }

  /** Told of what becomes of handoffs, without waiting for work. */
  overhear(listener: Listener): () => void {
    const { agent } = listener.session
    const heard = (this.#overhearing.get(agent) ?? new Set()).add(listener)
    this.#overhearing.set(agent, heard)
    return () => leave(this.#overhearing, agent, listener)
  }

  /** All of an agent's, whether they wait for work or not. */
  *earsOf(agent: string): Iterable<Listener> {
    yield* this.of(agent)
    yield* this.#overhearing.get(agent) ?? []
  }

  of(agent: string): Iterable<Listener> {
    return this.#byAgent.get(agent) ?? []
  }

  /** All of a role who are here, each once; the role itself when nobody is. */
  everyone(role: string): Target[] {
    const agents = new Set([...(this.#byRole.get(role) ?? [])].map(({ session }) => session.agent))
    return agents.size === 0 ? [{ role }] : [...agents].map(agent => ({ role, agent }))
  }

  /**
   * Whom to offer something to: the agent that is named, or some of the role, others at each time. Who is told moves to
   * the end, so that the next offer goes to others first.
   */
  pick({ role, agent }: Target, except: readonly string[], most: number): Listener[] {
    if (agent !== undefined) return [...this.of(agent)].filter(({ session }) => session.role.name === role)
    const waiting = this.#byRole.get(role)
    if (!waiting) return []
    const picked: Listener[] = []
    for (const listener of waiting) {
      if (picked.length === most) break
      if (!except.includes(listener.session.agent)) picked.push(listener)
    }
    for (const listener of picked) {
      waiting.delete(listener)
      waiting.add(listener)
    }
    return picked
  }
}

function leave(map: Map<string, Set<Listener>>, key: string, listener: Listener): void {
  const set = map.get(key)
  set?.delete(listener)
  if (set?.size === 0) map.delete(key)
}

export const partyOf = ({ agent, role }: Session): Party => ({ agent, role: role.name })
