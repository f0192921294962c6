import type { Exchange } from '../model/handoff/exchange.ts'
import type { AlertFrame, ExchangeFrame, HandoffFrame, OfferFrame } from '../model/wire/frame.ts'
import type { HandoffSeen, OfferSeen } from '../model/wire/handoff.ts'
import type { Alert } from '../model/wire/quality.ts'

type ExchangeListener = (exchange: Exchange) => void
type OfferListener = (offer: OfferSeen) => unknown

/** What the server tells of handoffs unasked. What is missed while the connection is down is found out when it is up. */
export class Board {
  readonly #offers = new Set<OfferListener>()
  readonly #alerts = new Set<(alert: Alert) => void>()
  readonly #handling = new Set<string>()
  readonly #waiting = new Set<() => void>()
  readonly #states = new Map<string, Set<(seen: HandoffSeen) => void>>()
  readonly #exchanges = new Map<string, Set<ExchangeListener>>()
  readonly #untold = new Map<string, OfferSeen>()

  onOffer(listener: OfferListener): () => void {
    this.#offers.add(listener)
    const untold = [...this.#untold.values()]
    this.#untold.clear()
    // Not before the listener's own caller has what stops it.
    queueMicrotask(() => untold.forEach(offer => void this.#offer(offer)))
    return () => this.#offers.delete(listener)
  }

  onState(id: string, listener: (seen: HandoffSeen) => void): () => void {
    const listeners = this.#states.get(id) ?? new Set()
    this.#states.set(id, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#states.delete(id)
    }
  }

  onAlert(listener: (alert: Alert) => void): () => void {
    this.#alerts.add(listener)
    return () => this.#alerts.delete(listener)
  }

  /** Resolves when something may have changed that was not told. */
  again(): Promise<void> {
    return new Promise(resolve => this.#waiting.add(resolve))
  }

  /** Questions and answers of one handoff. */
  onExchange(id: string, listener: ExchangeListener): () => void {
    const listeners = this.#exchanges.get(id) ?? new Set()
    this.#exchanges.set(id, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#exchanges.delete(id)
    }
  }

  told(frame: OfferFrame | HandoffFrame | ExchangeFrame | AlertFrame): void {
    if ('exchange' in frame)
      for (const listener of this.#exchanges.get(frame.exchange.handoff) ?? []) listener(frame.exchange)
    else if ('offer' in frame) this.#offer(frame.offer)
    else if ('alert' in frame) for (const listener of this.#alerts) listener(frame.alert)
    else for (const listener of this.#states.get(frame.handoff.id) ?? []) listener(frame.handoff)
  }

  up(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  ended(): void {
    this.#offers.clear()
    this.#alerts.clear()
    this.up()
  }

  /** One that is being looked at is not told again meanwhile; one that came before anyone listens is kept for them. */
  #offer(offer: OfferSeen): void {
    if (this.#offers.size === 0) this.#untold.set(offer.id, offer)
    if (this.#offers.size === 0 || this.#handling.has(offer.id)) return
    this.#handling.add(offer.id)
    const told = [...this.#offers].map(async listener => listener(offer))
    Promise.allSettled(told).then(results => {
      this.#handling.delete(offer.id)
      for (const result of results) if (result.status === 'rejected') outside(result.reason)
    })
  }
}

function outside(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
