import type { Definition } from '../model/infer.ts'
import type { ListFrame } from '../model/wire/frame.ts'
import type { HandoffSeen, ListedHandoff, OfferSeen } from '../model/wire/handoff.ts'
import { type Answers, bodyOf } from './frame.ts'
import { Offer } from './offer.ts'
import { type Listening, outside } from './outside.ts'
import type { Shared } from './user.ts'
import type { Told, Watched } from './watched.ts'

/** What is open and concerns this agent. */
export interface OpenHandoffs<D extends Definition = Definition> {
  /** What is offered to this agent or its role. An offer stays the same object while it stands. */
  readonly offers: readonly Offer<D>[]
  /** What it sent, holds or may see. */
  readonly handoffs: readonly ListedHandoff[]
}

/** The list of handoffs, put together from what was told of it. */
export class HandoffsWatch<D extends Definition> implements Watched {
  readonly body: string
  readonly #shared: Shared
  readonly #listening: Listening<OpenHandoffs<D>>
  readonly #offers = new Map<string, { readonly seen: string; readonly offer: Offer<D> }>()
  #handoffs = new Map<string, ListedHandoff>()

  constructor(state: HandoffSeen['state'] | undefined, shared: Shared, listening: Listening<OpenHandoffs<D>>) {
    this.body = bodyOf({ op: 'watchHandoffs', state })
    this.#shared = shared
    this.#listening = listening
  }

  state(answer: unknown): void {
    const { offers, handoffs } = answer as Answers['handoffs']
    const standing = new Set(offers.map(({ id }) => id))
    for (const id of this.#offers.keys()) if (!standing.has(id)) this.#offers.delete(id)
    for (const offer of offers) this.#offer(offer)
    this.#handoffs = new Map(handoffs.map(each => [each.id, each]))
    this.#tell()
  }

  changed(frame: Told): void {
    const { offers, handoffs } = frame as ListFrame
    for (const [id, offer] of Object.entries(offers))
      if (offer) this.#offer(offer)
      else this.#offers.delete(id)
    for (const [id, handoff] of Object.entries(handoffs))
      if (handoff) this.#handoffs.set(id, handoff)
      else this.#handoffs.delete(id)
    this.#tell()
  }

  failed(error: Error): void {
    outside(() => this.#listening.error(error))
  }

  /** The request by which it is accepted stays, so that an accept that is sent again is the same one. */
  #offer(seen: OfferSeen): void {
    const text = JSON.stringify(seen)
    const known = this.#offers.get(seen.id)
    if (known?.seen === text) return
    this.#offers.set(seen.id, { seen: text, offer: new Offer<D>(seen, this.#shared, known?.offer.request) })
  }

  #tell(): void {
    const offers = [...this.#offers.values()].map(({ offer }) => offer)
    outside(() => this.#listening.told({ offers, handoffs: [...this.#handoffs.values()] }))
  }
}
