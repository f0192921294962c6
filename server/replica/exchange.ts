import { LRUCache } from 'lru-cache'
import type { Scope } from '../../model/scope.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Session } from '../access/session.ts'
import type { Item } from '../room/commit.ts'
import type { Follower, House, Room } from '../room/room.ts'
import { isReceipts } from './author.ts'
import { Malformed } from './bytes.ts'
import type { DocumentChange } from './document.ts'
import { stateVectorOf, updateOf } from './encoding.ts'
import { type Entry, type Inbound, type Run, readInbound } from './inbound.ts'
import { hasMessage, lacksMessage, type Message, readMessage, updateMessage } from './message.ts'
import { itemIn } from './outbox.ts'
import type { Attendant } from './presence.ts'
import { type Receipt, Receipts } from './receipts.ts'
import { readStateVector } from './state-vector.ts'

const TRY_AGAIN_LATER = 1013
const MAX_REMEMBERED = 16_384
const MAX_CLIENTS = 64

/** The way to the replica, whatever carries the bytes. */
export interface Wire {
  send(message: Uint8Array): void
  close(code: number, reason: string): void
}

/** What an exchange works in. */
export interface Place {
  readonly house: House
  readonly keeper: Doorkeeper
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
  /** Entries of this connection that have their receipt, or will have it. */
  readonly #taken = new LRUCache<string, true>({ max: MAX_REMEMBERED })
  /** How far each client's history is settled, as far as this connection knows. */
  readonly #settledTo = new LRUCache<number, number>({ max: MAX_CLIENTS })
  #scope: Scope
  /** From when on it is told of changes: it has said what it has, and was sent the rest. */
  #stopFollowing: (() => void) | undefined
  #inFlight = 0
  /** All that was taken up so far has its receipts. */
  #receipted: Promise<unknown> = Promise.resolve()
  #isDraining = false
  #drained: (() => void) | undefined

  constructor(wire: Wire, session: Session, scope: Scope, room: Room, place: Place, receiptsAuthor: number) {
    this.session = session
    this.#wire = wire
    this.#scope = scope
    this.#room = room
    this.#place = place
    this.#receipts = new Receipts(receiptsAuthor)
    this.#stopListening = place.house.authority.onChangeOf(session.agent, (_, user) => {
      if (user === room.user) this.#rescope()
    })
  }

  receive(data: Uint8Array): void {
    try {
      this.#place.keeper.admit(this.session)
      this.#take(readMessage(data))
    } catch (error) {
      if (error instanceof Malformed) this.#wire.close(CLOSE.badFrame, error.message)
      else this.#wire.close(TRY_AGAIN_LATER, this.#place.keeper.refusalOf(error).message)
    }
  }

  send(message: Uint8Array): void {
    this.#wire.send(message)
  }

  changed(change: DocumentChange): void {
    const update = change.in(this.#scope)
    if (!update) return
    this.send(updateMessage(update))
    this.#room.serve(this.session.agent, this.#scope.read)
  }

  /** Takes up nothing more; settles when all that was taken up is answered. */
  drain(): Promise<void> {
    this.#isDraining = true
    if (this.#inFlight === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#drained = resolve
    })
  }

  /** To be called when nothing reaches the other end any more. */
  end(): void {
    this.#stopListening()
    this.#stopFollowing?.()
    this.#room.presence.leave(this)
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
    else this.#wire.close(CLOSE.startAfresh, 'start afresh: what you hold is not what you may read now')
  }

  #begin(has: ReadonlyMap<number, number>, lacks: Uint8Array): void {
    const { document, settled, presence } = this.#room
    this.send(lacksMessage(lacks))
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
    presence.show(this)
  }

  #read({ entries, runs }: Inbound): void {
    if (!this.#stopFollowing || this.#isDraining) return
    const fresh = entries.filter(entry => !this.#taken.has(placeOf(entry)))
    for (const entry of fresh) this.#taken.set(placeOf(entry), true)
    this.#inFlight++
    this.#receipted = Promise.all([this.#receipted, this.#settle(fresh)])
    this.#receipted
      .then(() => this.#mark(runs))
      .catch(error => this.#wire.close(TRY_AGAIN_LATER, this.#place.keeper.refusalOf(error).message))
      .finally(() => {
        this.#inFlight--
        if (this.#inFlight === 0) this.#drained?.()
      })
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

  async #settle(entries: readonly Entry[]): Promise<void> {
    const { observationsPerRequest } = this.#place.house.limits
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
    else if (this.#stopFollowing) this.send(updateMessage(document.widening(before, scope)))
  }
}

const isItem = (item: ReturnType<typeof itemIn>): item is Item => 'kind' in item

const placeOf = ({ client, clock }: Entry): string => `${client}.${clock}`

const rangeOfAll = ([author, length]: readonly [number, number]) => ({ author, ranges: [{ clock: 0, length }] })
