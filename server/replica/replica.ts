import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Scope } from '../../model/scope.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Session } from '../access/session.ts'
import type { Desk } from '../operation/desk.ts'
import type { Item } from '../room/commit.ts'
import type { Follower, Room } from '../room/room.ts'
import type { Guest } from '../socket/guest.ts'
import { Line, type Message as Received } from '../socket/line.ts'
import type { Turns } from '../socket/turns.ts'
import { isReceipts, receiptsAuthor } from './author.ts'
import { Malformed } from './bytes.ts'
import type { DocumentChange } from './document.ts'
import { stateVectorOf, updateOf } from './encoding.ts'
import { type Entry, type Inbound, readInbound } from './inbound.ts'
import { awarenessMessage, hasMessage, lacksMessage, type Message, readMessage, updateMessage } from './message.ts'
import { itemIn } from './outbox.ts'
import type { Attendant } from './presence.ts'
import { type Receipt, Receipts } from './receipts.ts'
import { readStateVector } from './state-vector.ts'

const TRY_AGAIN_LATER = 1013
const ALIVE = awarenessMessage([])
const MAX_REMEMBERED = 16_384

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
  /** Entries of this connection that have their receipt, or will have it; the oldest are forgotten first. */
  readonly #taken = new Set<string>()
  #scope: Scope
  /** From when on it is told of changes: it has said what it has, and was sent the rest. */
  #stopFollowing: (() => void) | undefined
  #inFlight = 0
  #isDraining = false
  #drained: (() => void) | undefined

  /** Holds the room until it ends. Throws when the session may not reach the user. */
  static async open(socket: WebSocket, wire: Socket, session: Session, user: string, place: Place): Promise<Replica> {
    const scope = place.desk.scope(session, user)
    const { room, release } = await place.desk.rooms.hold(user)
    return new Replica(socket, wire, session, scope, room, release, place)
  }

  private constructor(
    socket: WebSocket,
    wire: Socket,
    session: Session,
    scope: Scope,
    room: Room,
    release: () => void,
    place: Place,
  ) {
    const { limits, now, authority } = place.desk.house
    this.session = session
    this.#scope = scope
    this.#room = room
    this.#place = place
    this.#line = new Line(socket, wire, { limits, now, turns: place.turns }, message => this.#receive(message))
    const stopListening = authority.onChangeOf(session.agent, (_, user) => {
      if (user === room.user) this.#rescope()
    })
    this.closed = this.#line.closed.then(() => {
      stopListening()
      this.#stopFollowing?.()
      room.presence.leave(this)
      release()
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
    if (this.#inFlight === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#drained = resolve
    })
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

  #receive({ data, isBinary }: Received): void {
    try {
      this.#place.keeper.admit(this.session)
      if (!isBinary) throw new Malformed()
      this.#take(readMessage(data))
    } catch (error) {
      if (error instanceof Malformed) this.close(CLOSE.badFrame, error.message)
      else this.close(TRY_AGAIN_LATER, this.#place.keeper.refusalOf(error).message)
    }
  }

  #take(message: Message): void {
    switch (message.type) {
      case 'has':
        this.#sync(readStateVector(message.stateVector))
        return
      case 'update':
        this.#read(readInbound(message.update))
        return
      case 'awareness':
        for (const state of message.states) this.#room.presence.announce(this, state)
        return
      case 'query':
        this.#room.presence.show(this)
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
    presence.show(this)
  }

  #read({ entries, runs }: Inbound): void {
    if (!this.#stopFollowing || this.#isDraining) return
    const fresh = entries.filter(entry => !this.#taken.has(placeOf(entry)))
    for (const entry of fresh) this.#remember(placeOf(entry))
    this.#inFlight++
    this.#settle(fresh)
      .then(() => {
        for (const { client, from, to } of runs) this.#room.settled.advance(this.session.agent, client, from, to)
      })
      .catch(error => this.close(TRY_AGAIN_LATER, this.#place.keeper.refusalOf(error).message))
      .finally(() => {
        this.#inFlight--
        if (this.#inFlight === 0) this.#drained?.()
      })
  }

  #remember(place: string): void {
    this.#taken.add(place)
    const [oldest] = this.#taken
    if (this.#taken.size > MAX_REMEMBERED && oldest !== undefined) this.#taken.delete(oldest)
  }

  async #settle(entries: readonly Entry[]): Promise<void> {
    const { observationsPerRequest } = this.#place.desk.house.limits
    for (let from = 0; from < entries.length; from += observationsPerRequest) {
      const receipts = await this.#admit(entries.slice(from, from + observationsPerRequest))
      this.send(updateMessage(this.#receipts.update(receipts)))
    }
  }

  async #admit(entries: readonly Entry[]): Promise<Receipt[]> {
    const done = this.#place.keeper.begin('replica', 'observe', this.session)
    const read = entries.map(entry => ({ entry, item: itemIn(entry) }))
    const items = read.flatMap(({ item }) => (isItem(item) ? [item] : []))
    const outcomes = await this.#room.submit({ session: this.session, items, atomic: false })
    done()
    let next = 0
    return read.map(({ entry, item }) => {
      const outcome = isItem(item) ? outcomes[next++] : undefined
      if (outcome) return { entry, outcome }
      return { entry, outcome: { status: 'refused', ...(!isItem(item) && { error: item }) } }
    })
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

const isItem = (item: ReturnType<typeof itemIn>): item is Item => 'kind' in item

const placeOf = ({ client, clock }: Entry): string => `${client}.${clock}`

const rangeOfAll = ([author, length]: readonly [number, number]) => ({ author, ranges: [{ clock: 0, length }] })
