import { SelfsameError } from '../../model/error.ts'
import type { Session } from '../access/session.ts'
import type { Desk } from '../operation/desk.ts'
import { works } from '../operation/handoffs.ts'
import { type Followed, gistOf, Soon } from './followed.ts'

/** The open work of one user as one session may see it, told whole whenever it has changed. */
export class WorkWatch implements Followed {
  readonly #desk: Desk
  readonly #session: Session
  readonly #user: string
  readonly #changed: (text: string) => void
  readonly #ended: (error: SelfsameError) => void
  readonly #soon: Soon
  readonly #leave: (() => void)[]
  #told = ''

  constructor(
    desk: Desk,
    session: Session,
    user: string,
    { changed, ended }: { readonly changed: (text: string) => void; readonly ended: (error: SelfsameError) => void },
  ) {
    this.#desk = desk
    this.#session = session
    this.#user = user
    this.#changed = changed
    this.#ended = ended
    this.#soon = new Soon(() => this.#tell(), desk.house.onFault)
    const concerns = (other: string) => other === user && this.#soon.touch()
    this.#leave = [
      desk.keeper.follow(kept => concerns(kept.user)),
      desk.house.authority.onChangeOf(session.agent, (_, other) => concerns(other)),
    ]
  }

  async begin(): Promise<string> {
    const text = this.#read()
    this.#soon.begin()
    return text
  }

  stop(): void {
    for (const leave of this.#leave) leave()
    this.#soon.stop()
  }

  #read(): string {
    const read = works(this.#desk, this.#session, this.#user)
    this.#told = gistOf(JSON.stringify(read, (key, value) => (key === 'lease' ? null : value)))
    return JSON.stringify(read)
  }

  #tell(): void {
    const before = this.#told
    try {
      const text = this.#read()
      if (this.#told !== before) this.#changed(text)
    } catch (error) {
      if (!(error instanceof SelfsameError)) throw error
      this.stop()
      this.#ended(error)
    }
  }
}
