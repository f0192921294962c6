import type { Definition } from '../model/infer.ts'
import type { Answers } from './frame.ts'
import { newId } from './id.ts'
import { type Shared, User } from './user.ts'
import { type StartOptions, Work } from './work.ts'

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

  /** The archive of handoffs of the user, the latest first. */
  async frames({ limit }: { readonly limit?: number } = {}): Promise<Answers['frames']['frames']> {
    return (await this.#shared.calls.call('frames', { user: this.id, limit })).frames
  }
}
