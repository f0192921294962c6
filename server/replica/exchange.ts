import { LRUCache } from 'lru-cache'
import type { Scope } from '../../model/scope.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Session } from '../access/session.ts'
import { Pace } from '../audit/pace.ts'
import type { House } from '../room/house.ts'
import type { Follower } from '../room/led-document.ts'
import type { Room } from '../room/room.ts'
import { isReceipts } from './author.ts'
import { Malformed } from './bytes.ts'
import type { DocumentChange } from './document.ts'
import { stateVectorOf, updateOf } from './encoding.ts'
import { type Run, readInbound } from './inbound.ts'
import { Intake } from './intake.ts'
import { hasMessage, lacksMessage, type Message, readMessage, updateMessage } from './message.ts'
import type { Attendant } from './presence.ts'
import { Receipts } from './receipts.ts'
import { readStateVector } from './state-vector.ts'

const TRY_AGAIN_LATER = 1013
const MAX_CLIENTS = 64

/** The way to the replica, whatever carries the bytes. */
export interface Wire {
  readonly isOpen: boolean
  send(message: Uint8Array): void
  close(code: number, reason: string): void
}

/** What an exchange works in. */
export interface Place {
  readonly house: House
  readonly keeper: Doorkeeper
  /** Whether a session's token is still good. */
  readonly admits: (session: Session) => boolean
}

/**
 * What is said with one replica, in bytes. It is sent the part of the document that its scope may read, and every change
 * of that; what it writes is read as values and admitted like any other observation.
 */
export class Exchange implements Attendant, Follower {
  readonly session: Session
  readonly #wire: Wire
  readonly #place: Place
  readonly #room: Room
  readonly #stopListening: () => void
  readonly #receipts: Receipts
  readonly #intake: Intake
  readonly #pace: Pace
  /** How far each client's history is settled, as far as this connection knows. */
  readonly #settledTo = new LRUCache<number, number>({ max: MAX_CLIENTS })
  #scope: Scope
  /** From when on it is told of changes: it has said what it has, and was sent the rest. */
  #stopFollowing: (() => void) | undefined
  #isDraining = false

  constructor(wire: Wire, session: Session, scope: Scope, room: Room, place: Place, receiptsAuthor: number) {
    this.session = session
    this.#wire = wire
    this.#scope = scope
    this.#room = room
    this.#place = place
    this.#pace = new Pace(place.house.onFault)
    this.#receipts = new Receipts(receiptsAuthor)
    this.#intake = new Intake({
      session,
      room,
      keeper: place.keeper,
      atOnce: place.house.limits.observationsPerRequest,
      mayWrite: () => wire.isOpen && place.admits(session),
      tell: receipts => this.send(updateMessage(this.#receipts.update(receipts))),
      settled: runs => this.#mark(runs),
      fail: error => this.#fail(error),
    })
    this.#stopListening = place.house.authority.onChangeOf(session.agent, (_, user) => {
      if (user === room.user) this.#rescope()
    })
  }

  /** A promise when nothing more should be taken up before it settles. */
  receive(data: Uint8Array): Promise<void> | undefined {
    try {
      this.#place.keeper.admit(this.session)
      return this.#take(readMessage(data))
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  send(message: Uint8Array): void {
    this.#wire.send(message)
  }

  changed(change: DocumentChange): void {
    const update = change.in(this.#scope)
    if (!update) return
    this.#show(updateMessage(update), change.namesIn(this.#scope))
    this.#room.serve(this.session.agent, this.#scope.read)
  }

  renewed(): void {
    this.#wire.close(CLOSE.startAfresh, 'start afresh: this user is put together anew')
  }

  /** What is sent of fields counts as read; of secret ones it is on disk that they were before they are sent. */
  #show(message: Uint8Array, fields: readonly string[]): void {
    const { journal } = this.#place.house
    const noted = journal.showedFields(this.session, this.#room.user, 'replica', fields)
    this.#pace.after(noted, () => this.send(message))
  }

  /** Takes up nothing more; settles when all that was taken up is answered. */
  drain(): Promise<void> {
    this.#isDraining = true
    return this.#intake.settled()
  }

  /** To be called when nothing reaches the other end any more. */
  end(): void {
    this.#stopListening()
    this.#stopFollowing?.()
    this.#room.presence.leave(this)
  }

  #fail(error: unknown): void {
    if (error instanceof Malformed) this.#wire.close(CLOSE.badFrame, error.message)
    else this.#wire.close(TRY_AGAIN_LATER, this.#place.keeper.refusalOf(error).message)
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
    else this.#wire.close(CLOSE.startAfresh, 'start afresh: what you hold is not what you may read now')
  }

  #begin(has: ReadonlyMap<number, number>, lacks: Uint8Array): void {
    const { document, settled, presence } = this.#room
    this.#show(lacksMessage(lacks), document.namesIn(this.#scope))
    const outdated = [...has].filter(([author]) => isReceipts(author))
    if (outdated.length > 0) this.send(updateMessage(updateOf([], outdated.map(rangeOfAll))))
    const clocks = settled.claims(this.session.agent, has)
    for (const [client, clock] of clocks) this.#settledTo.set(client, clock)
    for (const { author, next } of document.readable(this.#scope)) clocks.set(author, next)
    this.send(hasMessage(stateVectorOf(clocks)))
    this.#room.serve(this.session.agent, this.#scope.read)
    if (this.#stopFollowing) return
    this.#stopFollowing = this.#room.follow(this)
    presence.join(this)
  }

  /** A run that leaves a gap can't be claimed: what is in the gap would be lost. */
  #mark(runs: readonly Run[]): void {
    const { author, size: receipts } = this.#receipts
    for (const { client, from, to } of runs) {
      const before = this.#settledTo.get(client) ?? 0
      if (from > before || to <= before) continue
      this.#settledTo.set(client, to)
      this.#room.settled.mark(this.session.agent, client, { clock: to, author, receipts })
    }
  }

  /** What it may read has changed: it is sent what is new; who may read less starts afresh. */
  #rescope(): void {
    const scope = this.#place.house.authority.scope(this.session, this.#room.user)
    if (scope.ok) this.#adopt(scope.value)
    else this.#wire.close(CLOSE.forbidden, scope.error.message)
  }

  #adopt(scope: Scope): void {
    const { document } = this.#room
    const before = this.#scope
    this.#scope = scope
    const readable = new Set(document.readable(scope))
    if ([...document.readable(before)].some(field => !readable.has(field)))
      this.#wire.close(CLOSE.startAfresh, 'start afresh: you may read less than before')
    else if (this.#stopFollowing) this.#show(updateMessage(document.widening(before, scope)), document.namesIn(scope))
  }
}

const rangeOfAll = ([author, length]: readonly [number, number]) => ({ author, ranges: [{ clock: 0, length }] })
