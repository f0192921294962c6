import type { OfferSeen } from '../../model/wire/handoff.ts'
import type { Webhook } from '../webhook.ts'

/** Where roles are told of offers whose agents keep no socket open. */
export class OfferWebhooks {
  readonly #byRole: ReadonlyMap<string, Webhook>

  constructor(byRole: ReadonlyMap<string, Webhook>) {
    this.#byRole = byRole
  }

  has(role: string): boolean {
    return this.#byRole.has(role)
  }

  /** Each delivery is an event of its own; what is sent again of one delivery has the same id. */
  send(role: string, offer: OfferSeen, epoch: number): void {
    const id = `${offer.id}.${epoch}.${role}.${offer.attempt}`
    this.#byRole.get(role)?.send({ id, type: 'handoff.offered', data: offer })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byRole.values()].map(webhook => webhook.close()))
  }
}
