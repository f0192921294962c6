import type { Definition } from '../model/infer.ts'
import type { HandoffSeen, OfferSeen } from '../model/wire/handoff.ts'
import { newId } from './id.ts'
import type { Shared } from './user.ts'
import { Work } from './work.ts'

/** Work that this agent may take. It says nothing of the user before it is accepted. */
export class Offer<D extends Definition = Definition> {
  readonly id: string
  readonly from: OfferSeen['from']
  readonly urgency: number
  readonly hop: number
  readonly attempt: number
  readonly made: number
  readonly isResumed: boolean
  /** Of what the role needs: what is known, and what would have to be asked for. */
  readonly needs: OfferSeen['needs']
  readonly #shared: Shared
  /** By which an accept that is sent again is known; `desk.resume` asks for it. */
  readonly request: string

  constructor(
    { id, from, urgency, hop, made, attempt, isResumed, needs }: OfferSeen,
    shared: Shared,
    request = newId(),
  ) {
    this.id = id
    this.from = from
    this.urgency = urgency
    this.hop = hop
    this.attempt = attempt
    this.made = made
    this.isResumed = isResumed
    this.needs = needs
    this.request = request
    this.#shared = shared
  }

  /** Rejects with `handoff_taken` when another was first. */
  async accept(options: { readonly lease?: number } = {}): Promise<Work<D>> {
    const question = { handoff: this.id, request: this.request, ...options }
    return new Work<D>(await this.#shared.errands.run('accept', question), this.#shared)
  }

  decline(why: string): Promise<HandoffSeen> {
    return this.#shared.errands.run('decline', { handoff: this.id, why })
  }
}
