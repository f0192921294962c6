import type { Definition } from '../model/infer.ts'
import type { OpenWork } from '../model/wire/handoff.ts'
import type { Answers } from './frame.ts'
import { newId } from './id.ts'
import { fail, type ListenOptions } from './outside.ts'
import { type Shared, User } from './user.ts'
import { type StartOptions, Work } from './work.ts'
import { WorkWatch } from './work-watch.ts'

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
  async frames({ limit }: { readonly limit?: number } = {}): Promise<Answers['frames']['frames']> {
    return (await this.#shared.calls.call('frames', { user: this.id, limit })).frames
  }
}
