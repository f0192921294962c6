import type { BroadcastSeen } from '../model/wire/handoff.ts'
import { refusal } from './refusal.ts'
import { until } from './until.ts'
import type { Shared } from './user.ts'

/** A handoff to many, from its sender's side. */
export class Broadcast {
  readonly id: string
  readonly #shared: Shared

  constructor(id: string, shared: Shared) {
    this.id = id
    this.#shared = shared
  }

  /** Who has acted and who has not. */
  async state(): Promise<BroadcastSeen> {
    const seen = await this.#shared.calls.call('inspect', { handoff: this.id })
    if ('receivers' in seen) return seen
    throw refusal('handoff_unavailable', 'It is a handoff to one: use `desk.handoff`.')
  }

  /** Resolves when all have acted, or the deadline has passed, with who did not. */
  async settled(): Promise<BroadcastSeen> {
    const { receivers } = await this.state()
    const parts = receivers.map(({ handoff }) => handoff)
    return until(
      this.#shared.board,
      parts,
      () => this.state(),
      ({ state }) => state === 'ended',
    )
  }
}
