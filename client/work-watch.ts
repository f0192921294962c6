import type { WorkFrame } from '../model/wire/frame.ts'
import type { OpenWork } from '../model/wire/handoff.ts'
import { type Answers, bodyOf } from './frame.ts'
import { type Listening, outside } from './outside.ts'
import type { Told, Watched } from './watched.ts'

/** The open work of a user: told whole, whenever it is another. */
export class WorkWatch implements Watched {
  readonly body: string
  readonly #listening: Listening<readonly OpenWork[]>

  constructor(user: string, listening: Listening<readonly OpenWork[]>) {
    this.body = bodyOf({ op: 'watchWork', user })
    this.#listening = listening
  }

  state(answer: unknown): void {
    this.#tell((answer as Answers['works']).works)
  }

  changed(frame: Told): void {
    this.#tell((frame as WorkFrame).works)
  }

  failed(error: Error): void {
    outside(() => this.#listening.error(error))
  }

  #tell(works: readonly OpenWork[]): void {
    outside(() => this.#listening.told(works))
  }
}
