import { LRUCache } from 'lru-cache'
import { SelfsameError } from '../../model/error.ts'

const MAX_AGENTS = 100_000

interface Bucket {
  tokens: number
  time: number
}

/** So many requests a second for each agent, and some saved up for bursts. */
export class Rate {
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_AGENTS })

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Counts a request, or refuses it. */
  take(agent: string, now: number): void {
    const bucket = this.#buckets.get(agent) ?? { tokens: this.#burst, time: now }
    const earned = (Math.max(0, now - bucket.time) / 1000) * this.#perSecond
    const tokens = Math.min(this.#burst, bucket.tokens + earned)
    this.#buckets.set(agent, { tokens: Math.max(0, tokens - 1), time: now })
    if (tokens >= 1) return
    const wait = Math.ceil(((1 - tokens) / this.#perSecond) * 1000)
    throw new SelfsameError({
      code: 'rate_limited',
      message: `More than ${this.#perSecond} requests a second. Wait ${wait} ms.`,
    })
  }
}
