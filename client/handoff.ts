import type { HandoffDetails, HandoffSeen, Verification } from '../model/wire/handoff.ts'
import { refusal } from './refusal.ts'
import { until } from './until.ts'
import type { Shared } from './user.ts'

const OPEN: ReadonlySet<HandoffSeen['state']> = new Set(['offered', 'accepted', 'passing'])

/** A handoff from outside, by its id. */
export class Handoff {
  readonly id: string
  readonly #shared: Shared

  constructor(id: string, shared: Shared) {
    this.id = id
    this.#shared = shared
  }

  async state(): Promise<HandoffSeen> {
    const seen = await this.inspect()
    return 'envelope' in seen ? seen.handoff : seen
  }

  /** With what it carries, where this agent may see that. */
  async inspect(): Promise<HandoffDetails | HandoffSeen> {
    const seen = await this.#shared.calls.call('inspect', { handoff: this.id })
    if ('receivers' in seen) throw refusal('handoff_unavailable', 'It is a handoff to many: use `desk.broadcast`.')
    return seen
  }

  /** Whether the chain up to it is as it was sealed: intent and constraints unchanged, nothing altered; else the first hop that is not. */
  verify(): Promise<Verification> {
    return this.#shared.calls.call('verify', { handoff: this.id })
  }

  /** Resolves when someone has accepted it, or it is clear that nobody will. */
  accepted(): Promise<HandoffSeen> {
    return this.#until(({ state }) => state !== 'offered')
  }

  /** Resolves when it has come to an end, or waits for a person. */
  settled(): Promise<HandoffSeen> {
    return this.#until(({ state }) => !OPEN.has(state))
  }

  /** Ends its authority at once. Who sent it goes on with the work if nobody has accepted it yet. */
  revoke(why: string): Promise<HandoffSeen> {
    return this.#shared.errands.run('revoke', { handoff: this.id, why })
  }

  /** People only: sends on its way again what is parked or failed. */
  replay(options: { readonly to?: string | { role: string; agent?: string }; readonly ttl?: number } = {}) {
    return this.#shared.errands.run('replay', { handoff: this.id, ...options })
  }

  #until(is: (seen: HandoffSeen) => boolean): Promise<HandoffSeen> {
    return until(this.#shared.board, [this.id], () => this.state(), is)
  }
}
