import type { Scope } from '../../model/scope.ts'
import type { Session } from '../access/session.ts'
import { Pace } from '../audit/pace.ts'
import type { House } from '../room/house.ts'
import type { Room } from '../room/room.ts'
import type { DocumentChange } from './document.ts'
import type { Attendant } from './presence.ts'

/** The way to a replica: changes may be left out if it is told so instead. */
export interface Outgoing {
  answer(text: string): void
  change(watch: number, resync: string, make: () => string): void
}

/** On the agent socket a replica has no Yjs, and so no client id, of its own. */
const NO_CLIENT = 0
const HERE = '{}'

/**
 * What is said with one replica on the agent socket, in JSON: the same evidence under the same keys as clients of Yjs are
 * sent, first all of it, then what is put and what is gone. It writes as every agent does.
 */
export class Following implements Attendant {
  readonly session: Session
  readonly #id: number
  readonly #room: Room
  readonly #house: Pick<House, 'journal'>
  readonly #outgoing: Outgoing
  readonly #pace: Pace
  readonly #user: string
  readonly #resync: string

  constructor(id: number, session: Session, room: Room, house: Pick<House, 'journal' | 'onFault'>, outgoing: Outgoing) {
    this.session = session
    this.#id = id
    this.#room = room
    this.#house = house
    this.#outgoing = outgoing
    this.#pace = new Pace(house.onFault)
    this.#user = JSON.stringify(room.user)
    this.#resync = `{"watch":${id},"user":${this.#user},"resync":true}`
  }

  /** All that a scope may read now. Of secret fields it is on disk that they were read before they are sent. */
  async state(scope: Scope): Promise<string> {
    const { text, names } = this.#room.document.whole(scope)
    this.#room.serve(this.session.agent, scope.read)
    const noted = this.#showed(names)
    // What changes meanwhile is told after the answer.
    if (noted) this.#pace.after(noted.then(nextTurn), () => undefined)
    await noted
    return `{"user":${this.#user},"evidence":${text}}`
  }

  /** From now on it is told of changes; returns what ends that. */
  within(scope: Scope): () => void {
    return this.#room.follow({
      changed: change => this.#changed(scope, change),
      renewed: () => this.#outgoing.answer(this.#resync),
    })
  }

  #changed(scope: Scope, change: DocumentChange): void {
    const text = change.textIn(scope)
    if (text === undefined) return
    this.#pace.after(this.#showed(change.namesIn(scope)), () =>
      this.#outgoing.change(this.#id, this.#resync, () => {
        this.#room.serve(this.session.agent, scope.read)
        return `{"watch":${this.#id},"user":${this.#user},${text}}`
      }),
    )
  }

  #showed(fields: readonly string[]): Promise<void> | undefined {
    return this.#house.journal.showedFields(this.session, this.#room.user, 'replica', fields)
  }

  /** Shows others that it is there; returns what ends that. */
  attend(): () => void {
    const { presence } = this.#room
    presence.join(this)
    presence.announce(this, { client: NO_CLIENT, clock: 0, state: HERE })
    return () => presence.leave(this)
  }

  /** Of who else is there it is not told. */
  send(): void {}
}

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))
