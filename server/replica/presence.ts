import { randomBytes } from 'node:crypto'
import { isReserved } from '../../model/name.ts'
import type { Session } from '../access/session.ts'
import { receiptsAuthor } from './author.ts'
import { type AwarenessState, awarenessMessage } from './message.ts'

const MAX_STATE_CHARS = 1_024
/** Who is shown at one user's model, and how many of one agent. Others hear who is there and are not shown. */
const MAX_SEATS = 64
const MAX_SEATS_PER_AGENT = 8
/** Milliseconds between two tellings: however often someone speaks, the others are told the last of it this often. */
const PACE = 250
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
  readonly #attendants = new Set<Attendant>()
  readonly #seats = new Map<Attendant, Seat>()
  /** What is to be told: of whom, and who has asked for everyone. */
  readonly #news = new Map<Attendant, AwarenessState>()
  readonly #curious = new Set<Attendant>()
  #toldAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  get size(): number {
    return this.#attendants.size
  }

  /** From now on it is told of the others. */
  join(attendant: Attendant): void {
    this.#attendants.add(attendant)
    this.show(attendant)
  }

  leave(attendant: Attendant): void {
    const seat = this.#seats.get(attendant)
    this.#attendants.delete(attendant)
    this.#curious.delete(attendant)
    this.#seats.delete(attendant)
    if (seat) this.#tell(attendant, seat, GONE)
  }

  /** Has it told who is there. */
  show(to: Attendant): void {
    this.#curious.add(to)
    this.#schedule()
  }

  announce(attendant: Attendant, { client, state }: AwarenessState): void {
    const stamped = stampedBy(attendant.session, state)
    const seat = this.#seats.get(attendant) ?? this.#seatFor(attendant, client)
    if (stamped === undefined || seat?.client !== client) return
    this.#seats.set(attendant, seat)
    this.#tell(attendant, seat, stamped)
  }

  /** Undefined when there is no seat left for it. */
  #seatFor({ session }: Attendant, client: number): Seat | undefined {
    const mine = [...this.#seats.keys()].filter(({ session: { agent } }) => agent === session.agent)
    const isFull = this.#seats.size >= MAX_SEATS || mine.length >= MAX_SEATS_PER_AGENT
    return isFull ? undefined : { client, shown: newId(), clock: 0, state: GONE }
  }

  #tell(attendant: Attendant, seat: Seat, state: string): void {
    if (state === GONE && seat.state === GONE) return
    seat.clock++
    seat.state = state
    this.#news.set(attendant, shownOf(seat))
    this.#schedule()
  }

  #schedule(): void {
    if (this.#timer) return
    const wait = Math.max(0, this.#toldAt + PACE - performance.now())
    this.#timer = setTimeout(() => this.#flush(), wait).unref()
  }

  #flush(): void {
    this.#timer = undefined
    this.#toldAt = performance.now()
    const news = new Map(this.#news)
    const there = [...this.#seats].filter(([, { state }]) => state !== GONE)
    const everyone = new Map([...there.map(([who, seat]) => [who, shownOf(seat)] as const), ...news])
    const [toldNews, toldAll] = [new Telling(news), new Telling(everyone)]
    for (const attendant of this.#attendants) {
      const told = (this.#curious.has(attendant) ? toldAll : toldNews).for(attendant)
      if (told) attendant.send(told)
    }
    this.#news.clear()
    this.#curious.clear()
  }
}

/** One message for all who are not in it themselves. */
class Telling {
  readonly #states: ReadonlyMap<Attendant, AwarenessState>
  #forOthers: Uint8Array | undefined

  constructor(states: ReadonlyMap<Attendant, AwarenessState>) {
    this.#states = states
  }

  for(attendant: Attendant): Uint8Array | undefined {
    const isIn = this.#states.has(attendant)
    if (this.#states.size === (isIn ? 1 : 0)) return undefined
    if (isIn) return awarenessMessage([...this.#states].filter(([who]) => who !== attendant).map(([, state]) => state))
    this.#forOthers ??= awarenessMessage([...this.#states.values()])
    return this.#forOthers
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

/** Without keys that mean something else to whoever copies the object. */
const harmless = (key: string, value: unknown): unknown => (isReserved(key) ? undefined : value)

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text, harmless)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
