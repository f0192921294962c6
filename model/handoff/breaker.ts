/**
 * What is known of whether a target answers.
 *
 *     closed ──3 exhausted in a row──▶ open ──time──▶ half-open ──the probe is answered──▶ closed
 *        ▲                              ▲                │
 *        └──────anyone answers──────────┴──the probe is exhausted; the next wait is twice as long
 *
 * While it is open nothing is delivered there; half-open, one thing at a time is.
 */
export type Breaker = Closed | Open | HalfOpen

interface Closed {
  readonly name: 'closed'
  readonly failures: number
}

interface Open {
  readonly name: 'open'
  readonly until: number
  /** How often it has opened since it was last closed. */
  readonly trips: number
}

interface HalfOpen {
  readonly name: 'half-open'
  /** What is being delivered to find out, and when that is given up. */
  readonly probe: { readonly id: string; readonly until: number } | null
  readonly trips: number
}

export interface BreakerPolicy {
  readonly failures: number
  /** Milliseconds that it stays open at first. */
  readonly open: number
}

export const CLOSED: Breaker = { name: 'closed', failures: 0 }

const LONGEST_OPEN = 15 * 60_000
/** A probe that nothing is heard of any more is another's turn. */
const PROBE_WITHIN = 30 * 60_000

/** All deliveries of something to the target were in vain. */
export function exhausted(
  breaker: Breaker,
  id: string,
  now: number,
  chance: number,
  { failures, open }: BreakerPolicy,
): Breaker {
  const trip = (trips: number): Breaker => ({ name: 'open', until: now + waitOf(open, trips, chance), trips })
  switch (breaker.name) {
    case 'closed':
      return breaker.failures + 1 >= failures ? trip(1) : { name: 'closed', failures: breaker.failures + 1 }
    case 'half-open':
      return breaker.probe?.id === id ? trip(breaker.trips + 1) : breaker
    case 'open':
      return breaker
  }
}

/** Whoever says yes or no is there. */
export const answered = (): Breaker => CLOSED

/** What time alone changes. */
export const turned = (breaker: Breaker, now: number): Breaker =>
  breaker.name === 'open' && breaker.until <= now ? { name: 'half-open', probe: null, trips: breaker.trips } : breaker

/** Whether something may be delivered now, and the breaker once it is. */
export function passing(
  breaker: Breaker,
  id: string,
  now: number,
): { readonly next: Breaker; readonly passes: boolean } {
  const next = turned(breaker, now)
  if (next.name === 'closed') return { next, passes: true }
  if (next.name === 'open') return { next, passes: false }
  if (next.probe && next.probe.id !== id && next.probe.until > now) return { next, passes: false }
  return { next: { ...next, probe: { id, until: now + PROBE_WITHIN } }, passes: true }
}

/** Half of it is certain and half is chance, so that breakers that opened together do not probe together. */
function waitOf(open: number, trips: number, chance: number): number {
  const bound = Math.min(LONGEST_OPEN, open * 2 ** (trips - 1))
  return Math.ceil(bound / 2 + (bound / 2) * chance)
}
