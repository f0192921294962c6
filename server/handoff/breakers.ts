import { LRUCache } from 'lru-cache'
import {
  answered,
  type Breaker,
  type BreakerPolicy,
  CLOSED,
  exhausted,
  passing,
  turned,
} from '../../model/handoff/breaker.ts'
import type { Target } from '../../model/handoff/party.ts'
import type { BreakerHappening, Happening } from './happening.ts'

const MAX_TARGETS = 10_000

interface Watched {
  readonly target: Target
  readonly breaker: Breaker
}

export const keyOf = ({ role, agent }: Target): string => `${role}\n${agent ?? ''}`

const NAMES = { open: 'breakerOpened', 'half-open': 'breakerHalfOpen', closed: 'breakerClosed' } as const

/** A breaker for each role and each agent that work is offered to. After a restart all are closed. */
export class Breakers {
  readonly #policy: BreakerPolicy
  readonly #changed: (happening: BreakerHappening) => void
  readonly #watched = new LRUCache<string, Watched>({ max: MAX_TARGETS })

  constructor(policy: BreakerPolicy, changed: (happening: BreakerHappening) => void) {
    this.#policy = policy
    this.#changed = changed
  }

  heard({ name, to, at, ...rest }: Happening, chance: number): void {
    if (!to || !('handoff' in rest)) return
    if (name === 'exhausted') this.#set(to, at, was => exhausted(was, rest.handoff, at, chance, this.#policy))
    if (name === 'accepted' || name === 'declined') this.#set(to, at, answered)
  }

  /** Whether something may be delivered to a target now; if so it counts as delivered. */
  passes(target: Target, id: string, now: number): boolean {
    if (!this.#watched.has(keyOf(target))) return true
    const { passes } = passing(this.#of(target), id, now)
    this.#set(target, now, was => passing(was, id, now).next)
    return passes
  }

  /** What time alone changes. */
  tick(now: number): void {
    for (const { target, breaker } of [...this.#watched.values()])
      if (breaker.name === 'open') this.#set(target, now, was => turned(was, now))
  }

  isClosed(target: Target): boolean {
    return this.#of(target).name === 'closed'
  }

  #of(target: Target): Breaker {
    return this.#watched.get(keyOf(target))?.breaker ?? CLOSED
  }

  #set(target: Target, at: number, change: (was: Breaker) => Breaker): void {
    const was = this.#of(target)
    const breaker = change(was)
    if (breaker.name === 'closed' && breaker.failures === 0) this.#watched.delete(keyOf(target))
    else this.#watched.set(keyOf(target), { target, breaker })
    if (was.name !== breaker.name) this.#changed({ name: NAMES[breaker.name], to: target, at })
  }
}
