import { randomBytes } from 'node:crypto'
import type { Session } from '../access/session.ts'
import { receiptsAuthor } from './author.ts'
import { type AwarenessState, awarenessMessage } from './message.ts'

const MAX_STATE_CHARS = 1_024
const GONE = 'null'

/** Who is told of the others. */
export interface Attendant {
  readonly session: Session
  send(message: Uint8Array): void
}

interface Seat {
  /** The id the client announced first; states of any other are not its own. */
  readonly client: number
  /** What the others know it by. */
  readonly shown: number
  clock: number
  state: string
}

/**
 * Who is at a user's model now. What a client says of itself goes out under an id and clock of the server's choice, with
 * the agent and role that its token says; nobody can speak for another, and nobody hears of itself.
 */
export class Presence {
  readonly #seats = new Map<Attendant, Seat | undefined>()

  get size(): number {
    return this.#seats.size
  }

  join(attendant: Attendant): void {
    this.#seats.set(attendant, undefined)
  }

  leave(attendant: Attendant): void {
    const seat = this.#seats.get(attendant)
    this.#seats.delete(attendant)
    if (seat && seat.state !== GONE) this.#tell(attendant, { client: seat.shown, clock: seat.clock + 1, state: GONE })
  }

  /** Sends who is there. */
  show(to: Attendant): void {
    const others = [...this.#seats].flatMap(([attendant, seat]) => (seat && attendant !== to ? [shownOf(seat)] : []))
    if (others.length > 0) to.send(awarenessMessage(others))
  }

  announce(attendant: Attendant, { client, state }: AwarenessState): void {
    const stamped = stampedBy(attendant.session, state)
    if (stamped === undefined) return
    const seat = this.#seats.get(attendant) ?? { client, shown: newId(), clock: 0, state: GONE }
    if (seat.client !== client) return
    seat.clock++
    seat.state = stamped
    this.#seats.set(attendant, seat)
    this.#tell(attendant, shownOf(seat))
  }

  #tell(from: Attendant, state: AwarenessState): void {
    const message = awarenessMessage([state])
    for (const attendant of this.#seats.keys()) if (attendant !== from) attendant.send(message)
  }
}

const shownOf = ({ shown, clock, state }: Seat): AwarenessState => ({ client: shown, clock, state })

const newId = (): number => receiptsAuthor(randomBytes(8).readBigUInt64BE())

/** What a client says of itself, as far as it is an object of some size; who it is says its token. */
function stampedBy({ agent, role }: Session, state: string): string | undefined {
  if (state === GONE) return GONE
  const said = state.length <= MAX_STATE_CHARS ? parsed(state) : undefined
  return said && JSON.stringify({ ...said, agent, role: role.name })
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
