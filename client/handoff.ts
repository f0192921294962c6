import type { HandoffDetails, HandoffSeen } from '../model/wire/handoff.ts'
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
  inspect(): Promise<HandoffDetails | HandoffSeen> {
    return this.#shared.calls.call('inspect', { handoff: this.id })
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

  async #until(is: (seen: HandoffSeen) => boolean): Promise<HandoffSeen> {
    for (;;) {
      let told: HandoffSeen | undefined
      let wake = () => {}
      const heard = new Promise<void>(resolve => {
        wake = resolve
      })
      const stop = this.#shared.board.onState(this.id, seen => {
        told = seen
        wake()
      })
      try {
        const seen = await this.state()
        if (is(seen)) return seen
        await Promise.race([heard, this.#shared.board.again()])
        if (told && is(told)) return told
      } finally {
        stop()
      }
    }
  }
}
