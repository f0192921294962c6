import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Scope } from '../../model/scope.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Session } from '../access/session.ts'
import type { Desk } from '../operation/desk.ts'
import type { Follower, Room } from '../room/room.ts'
import type { Guest } from '../socket/guest.ts'
import { Line, type Message as Received } from '../socket/line.ts'
import type { Turns } from '../socket/turns.ts'
import { isReceipts, receiptsAuthor } from './author.ts'
import { Malformed } from './bytes.ts'
import type { DocumentChange } from './document.ts'
import { stateVectorOf, updateOf } from './encoding.ts'
import { readInbound } from './inbound.ts'
import { Intake } from './intake.ts'
import { awarenessMessage, hasMessage, lacksMessage, type Message, readMessage, updateMessage } from './message.ts'
import type { Attendant } from './presence.ts'
import { Receipts } from './receipts.ts'
import { readStateVector } from './state-vector.ts'

const TRY_AGAIN_LATER = 1013
const ALIVE = awarenessMessage([])

/** What a replica works in. */
export interface Place {
  readonly desk: Desk
  readonly keeper: Doorkeeper
  readonly turns: Turns
}

/**
 * One replica at the socket. It is sent the part of the document that its scope may read, and every change of that; what
 * it writes is read as values and admitted like any other observation.
 */
export class Replica implements Guest, Attendant, Follower {
  readonly session: Session
  readonly closed: Promise<void>
  readonly #line: Line
  readonly #place: Place
  readonly #room: Room
  readonly #receipts = new Receipts(receiptsAuthor(randomBytes(8).readBigUInt64BE()))
  readonly #intake: Intake
  #scope: Scope
  /** From when on it is told of changes: it has said what it has, and was sent the rest. */
  #stopFollowing: (() => void) | undefined
  #isDraining = false

  /** Holds the room until it ends. Throws when the session may not reach the user. */
  static async open(socket: WebSocket, wire: Socket, session: Session, user: string, place: Place): Promise<Replica> {
    const scope = place.desk.scope(session, user)
    const { room, release } = await place.desk.rooms.hold(user)
    try {
      const letGo = await room.keepDocument()
      const leave = () => {
        letGo()
        release()
      }
      return new Replica(socket, wire, session, scope, room, leave, place)
    } catch (error) {
      release()
      throw error
    }
  }

  private constructor(
    socket: WebSocket,
    wire: Socket,
    session: Session,
    scope: Scope,
    room: Room,
    leave: () => void,
    place: Place,
  ) {
    const { limits, now, authority } = place.desk.house
    this.session = session
    this.#scope = scope
    this.#room = room
    this.#place = place
    this.#line = new Line(socket, wire, { limits, now, turns: place.turns }, message => this.#receive(message))
    this.#intake = new Intake({
      session,
      room,
      keeper: place.keeper,
      atOnce: limits.observationsPerRequest,
      mayWrite: () => this.#line.isOpen && place.desk.gate.admits(session),
      tell: receipts => this.send(updateMessage(this.#receipts.update(receipts))),
      fail: error => this.#fail(error),
    })
    const stopListening = authority.onChangeOf(session.agent, (_, user) => {
      if (user === room.user) this.#rescope()
    })
    this.closed = this.#line.closed.then(() => {
      stopListening()
      this.#stopFollowing?.()
      room.presence.leave(this)
      leave()
    })
  }

  /** Clients count messages, not pings, as a sign of life. */
  ping(): boolean {
    this.send(ALIVE)
    return this.#line.ping()
  }

  review(now: number): void {
    this.#line.review(now)
  }

  close(code: number, reason: string): void {
    this.#line.close(code, reason)
  }

  terminate(): void {
    this.#line.terminate()
  }

  drain(): Promise<void> {
    this.#isDraining = true
    return this.#intake.settled()
  }

  send(message: Uint8Array): void {
    this.#line.outgoing.answer(message)
  }

  changed(change: DocumentChange): void {
    const update = change.in(this.#scope)
    if (!update) return
    this.send(updateMessage(update))
    this.#room.serve(this.session.agent, this.#scope.read)
  }

  /** A promise when nothing more should be taken up before it settles. */
  #receive({ data, isBinary }: Received): Promise<void> | undefined {
    try {
      this.#place.keeper.admit(this.session)
      if (!isBinary) throw new Malformed()
      return this.#take(readMessage(data))
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  #fail(error: unknown): void {
    if (error instanceof Malformed) this.close(CLOSE.badFrame, error.message)
    else this.close(TRY_AGAIN_LATER, this.#place.keeper.refusalOf(error).message)
  }

  /** Before it has said what it has, nothing else it says counts. */
  #take(message: Message): Promise<void> | undefined {
    if (message.type === 'has') this.#sync(readStateVector(message.stateVector))
    else if (this.#stopFollowing) return this.#hear(message)
    return undefined
  }

  #hear(message: Exclude<Message, { type: 'has' }>): Promise<void> | undefined {
    switch (message.type) {
      case 'update':
        return this.#isDraining ? undefined : this.#intake.take(readInbound(message.update))
      case 'awareness':
        if (message.own) this.#room.presence.announce(this, message.own)
        return undefined
      case 'query':
        this.#room.presence.show(this)
        return undefined
    }
  }

  /** Nothing is sent, and nothing it wrote is read, before it is clear that it holds nothing it may not read now. */
  #sync(has: ReadonlyMap<number, number>): void {
    const { document } = this.#room
    const lacks = document.state(this.#scope, has)
    if (lacks) this.#begin(has, lacks)
    else this.close(CLOSE.startAfresh, 'start afresh: what you hold is not what you may read now')
  }

  #begin(has: ReadonlyMap<number, number>, lacks: Uint8Array): void {
    const { document, settled, presence } = this.#room
    this.send(lacksMessage(lacks))
    const outdated = [...has].filter(([author]) => isReceipts(author))
    if (outdated.length > 0) this.send(updateMessage(updateOf([], outdated.map(rangeOfAll))))
    const clocks = new Map(settled.claims(this.session.agent))
    for (const { author, next } of document.readable(this.#scope)) clocks.set(author, next)
    this.send(hasMessage(stateVectorOf(clocks)))
    this.#room.serve(this.session.agent, this.#scope.read)
    if (this.#stopFollowing) return
    this.#stopFollowing = this.#room.follow(this)
    presence.join(this)
  }

  /** What it may read has changed: it is sent what is new; who may read less starts afresh. */
  #rescope(): void {
    const scope = this.#place.desk.house.authority.scope(this.session, this.#room.user)
    if (scope.ok) this.#adopt(scope.value)
    else this.close(CLOSE.forbidden, scope.error.message)
  }

  #adopt(scope: Scope): void {
    const { document } = this.#room
    const before = this.#scope
    this.#scope = scope
    const readable = new Set(document.readable(scope))
    if ([...document.readable(before)].some(field => !readable.has(field)))
      this.close(CLOSE.startAfresh, 'start afresh: you may read less than before')
    else if (this.#stopFollowing) this.send(updateMessage(document.widening(before, scope)))
  }
}

const rangeOfAll = ([author, length]: readonly [number, number]) => ({ author, ranges: [{ clock: 0, length }] })
