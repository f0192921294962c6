import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Scope } from '../../model/scope.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Session } from '../access/session.ts'
import type { Desk } from '../operation/desk.ts'
import type { Room } from '../room/room.ts'
import type { Guest } from '../socket/guest.ts'
import { Line, type Message } from '../socket/line.ts'
import type { Turns } from '../socket/turns.ts'
import { receiptsAuthor } from './author.ts'
import { Exchange } from './exchange.ts'
import { awarenessMessage } from './message.ts'

const ALIVE = awarenessMessage([])

/** What a replica works in. */
export interface Place {
  readonly desk: Desk
  readonly keeper: Doorkeeper
  readonly turns: Turns
}

/** One replica at the socket. */
export class Replica implements Guest {
  readonly session: Session
  readonly closed: Promise<void>
  readonly #line: Line
  readonly #exchange: Exchange

  /** Holds the room until it ends. Throws when the session may not reach the user. */
  static async open(socket: WebSocket, wire: Socket, session: Session, user: string, place: Place): Promise<Replica> {
    const scope = place.desk.scope(session, user)
    const { room, release } = await place.desk.rooms.holdDocument(user)
    const replica = new Replica(socket, wire, session, scope, room, place)
    replica.closed.then(release)
    return replica
  }

  private constructor(socket: WebSocket, wire: Socket, session: Session, scope: Scope, room: Room, place: Place) {
    const { desk, keeper, turns } = place
    const { limits, now } = desk.house
    const admits = (who: Session) => desk.gate.admits(who)
    this.session = session
    this.#line = new Line(socket, wire, { limits, now, turns }, message => this.#receive(message))
    const author = receiptsAuthor(randomBytes(8).readBigUInt64BE())
    this.#exchange = new Exchange(this, session, scope, room, { house: desk.house, keeper, admits }, author)
    this.closed = this.#line.closed.then(() => this.#exchange.end())
  }

  /** Clients count messages, not pings, as a sign of life. */
  ping(): boolean {
    this.send(ALIVE)
    return this.#line.ping()
  }

  get isOpen(): boolean {
    return this.#line.isOpen
  }

  review(now: number): void {
    this.#line.review(now)
  }

  send(message: Uint8Array): void {
    this.#line.outgoing.answer(message)
  }

  close(code: number, reason: string): void {
    this.#line.close(code, reason)
  }

  terminate(): void {
    this.#line.terminate()
  }

  drain(): Promise<void> {
    return this.#exchange.drain()
  }

  #receive({ data, isBinary }: Message): Promise<void> | undefined {
    if (isBinary) return this.#exchange.receive(data)
    this.close(CLOSE.badFrame, 'the protocol is binary')
    return undefined
  }
}
