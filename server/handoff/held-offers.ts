import { type Handoff, targetOf } from '../../model/handoff/handoff.ts'
import type { Target } from '../../model/handoff/party.ts'
import { type Breakers, keyOf } from './breakers.ts'

interface Queue {
  readonly target: Target
  readonly ids: Set<string>
}

/** Offers that are not delivered yet, by target, those held longest first. */
export class HeldOffers {
  readonly #queues = new Map<string, Queue>()
  readonly #at = new Map<string, string>()

  note(handoff: Handoff): void {
    this.forget(handoff.id)
    const target = targetOf(handoff)
    if (!target || handoff.state.name !== 'offered' || handoff.state.attempt > 0) return
    const key = keyOf(target)
    const queue = this.#queues.get(key) ?? { target, ids: new Set() }
    queue.ids.add(handoff.id)
    this.#queues.set(key, queue)
    this.#at.set(handoff.id, key)
  }

  /** What is to be delivered now: of each target some at a time, and one where it is not sure that anyone answers. */
  due(breakers: Breakers, most: number, now: number): string[] {
    return [...this.#queues.values()].flatMap(({ target, ids }) =>
      [...ids].slice(0, breakers.isClosed(target) ? most : 1).filter(id => breakers.passes(target, id, now)),
    )
  }

  forget(id: string): void {
    const key = this.#at.get(id)
    if (key === undefined) return
    this.#at.delete(id)
    const queue = this.#queues.get(key)
    queue?.ids.delete(id)
    if (queue?.ids.size === 0) this.#queues.delete(key)
  }
}
