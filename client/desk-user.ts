import type { Definition } from '../model/infer.ts'
import type { HandoffSeen, OpenWork } from '../model/wire/handoff.ts'
import type { Answers } from './frame.ts'
import { newId } from './id.ts'
import { fail, type ListenOptions } from './outside.ts'
import { type Shared, User } from './user.ts'
import { type StartOptions, Work } from './work.ts'
import { WorkWatch } from './work-watch.ts'

export interface FramesOptions {
  /** When they were made: milliseconds since 1970, or a date such as 2026-01-05. */
  readonly from?: number | string
  readonly to?: number | string
  /** Who sent, held, declined or ended it. */
  readonly agent?: string
  readonly outcome?: HandoffSeen['state']
  /** Those that carried or showed something of this field. */
  readonly field?: string
  readonly limit?: number
  readonly cursor?: string
}

/** A user, and the work that is done for them. */
export class DeskUser<D extends Definition> extends User<D> {
  readonly #shared: Shared

  constructor(id: string, shared: Shared) {
    super(id, shared)
    this.#shared = shared
  }

  /** Makes this agent the first holder of work on what the user wants. */
  async start(options: StartOptions): Promise<Work<D>> {
    const question = { user: this.id, request: newId(), ...options }
    return new Work<D>(await this.#shared.errands.run('start', question), this.#shared)
  }

  /** Open work of the user, as far as this agent may see it. */
  async works(): Promise<Answers['works']['works']> {
    return (await this.#shared.calls.call('works', { user: this.id })).works
  }

  /** Tells of the open work of the user, now and whenever it has changed, also across lost connections. */
  watchWork(listener: (works: readonly OpenWork[]) => void, { onError }: ListenOptions = {}): () => void {
    const { watches } = this.#shared
    const watch = new WorkWatch(this.id, { told: listener, error: error => fail(error, onError) })
    watches.add(watch)
    return () => watches.remove(watch)
  }

  /** The archive of handoffs of the user, the latest first. */
  async frames(options: FramesOptions = {}): Promise<Answers['frames']['frames']> {
    return (await this.framesPage(options)).frames
  }

  /** The same with a `cursor`, by which the next call goes on where this one ended. */
  framesPage(options: FramesOptions = {}): Promise<Answers['frames']> {
    return this.#shared.calls.call('frames', { user: this.id, ...options })
  }
}
