import { createDecoder, readVarUint } from 'lib0/decoding'
import { createEncoder, length, toUint8Array, writeVarUint } from 'lib0/encoding'
import { readSyncMessage, writeSyncStep1, writeUpdate } from 'y-protocols/sync'
import * as Y from 'yjs'
import type { Evidence } from '../../../model/evidence.ts'
import { CLOSE } from '../../../model/wire/frame.ts'
import type { Session } from '../../../server/access/session.ts'
import type { Exchange, Wire } from '../../../server/replica/exchange.ts'
import type { Site } from './site.ts'

const SYNC = 0

/** A connection whose messages wait, in their order, until the test lets them pass. */
class Link implements Wire {
  readonly up: Uint8Array[] = []
  readonly down: (Uint8Array | number)[] = []
  readonly #kept: Uint8Array[]
  isOpen = true
  exchange: Exchange | undefined

  constructor(kept: Uint8Array[]) {
    this.#kept = kept
  }

  send(message: Uint8Array): void {
    if (!this.isOpen) return
    this.#kept.push(message)
    this.down.push(message)
  }

  close(code: number): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.down.push(code)
  }

  pass(): void {
    const message = this.up.shift()
    if (message && this.isOpen) this.exchange?.receive(message)
  }

  end(): void {
    this.isOpen = false
    this.exchange?.end()
  }
}

/** A replica as y-websocket keeps it, with a hand-flushed network in the place of the socket. */
export class Peer {
  readonly session: Session
  /** Every message that ever left the server for it. */
  readonly received: Uint8Array[] = []
  readonly closures: number[] = []
  doc: Y.Doc
  readonly #site: Site
  readonly #copies: Uint8Array[] = []
  #link: Link | undefined
  #docs = 0

  constructor(site: Site, session: Session) {
    this.#site = site
    this.session = session
    this.doc = this.#blank()
  }

  get isOnline(): boolean {
    return this.#link !== undefined
  }

  get evidence(): Record<string, Evidence> {
    return this.doc.getMap('evidence').toJSON()
  }

  get outbox(): Y.Map<unknown> {
    return this.doc.getMap('outbox')
  }

  post(key: string, word: object): void {
    this.outbox.set(key, word)
  }

  get receipts(): Record<string, { status: string }> {
    return this.doc.getMap('receipts').toJSON()
  }

  join(): void {
    if (this.#link) return
    const link = new Link(this.received)
    link.exchange = this.#site.open(link, this.session)
    this.#link = link
    this.doc.on('update', this.#tell)
    this.#up(encoder => writeSyncStep1(encoder, this.doc))
  }

  /** Whatever is on the way is lost. */
  cut(): void {
    this.doc.off('update', this.#tell)
    this.#link?.end()
    this.#link = undefined
  }

  /** Lets some messages pass; false when none waited. */
  flush(way: 'up' | 'down', count: number): boolean {
    const link = this.#link
    const waiting = link?.[way].length ?? 0
    for (let left = Math.min(count, waiting); left > 0 && this.#link === link; left--)
      if (way === 'up') link?.pass()
      else this.#take(link?.down.shift() as Uint8Array | number)
    return waiting > 0
  }

  keepCopy(): void {
    this.#copies.push(Y.encodeStateAsUpdate(this.doc))
  }

  /** As from a backup, or a tab that slept: an earlier state, with the outbox it had. */
  putBack(which: number): void {
    const copy = this.#copies[which % Math.max(1, this.#copies.length)]
    if (!copy) return
    this.cut()
    this.doc = this.#blank()
    Y.applyUpdate(this.doc, copy)
  }

  /** With a client id of its own that is the same in every run. */
  #blank(): Y.Doc {
    const doc = new Y.Doc()
    doc.clientID = Buffer.from(this.session.agent).readUInt16BE() * 1_000 + ++this.#docs
    return doc
  }

  readonly #tell = (update: Uint8Array, origin: unknown): void => {
    if (origin !== this) this.#up(encoder => writeUpdate(encoder, update))
  }

  #up(write: (encoder: ReturnType<typeof createEncoder>) => void): void {
    const encoder = createEncoder()
    writeVarUint(encoder, SYNC)
    write(encoder)
    this.#link?.up.push(toUint8Array(encoder))
  }

  #take(message: Uint8Array | number): void {
    if (typeof message === 'number') this.#closed(message)
    else this.#hear(message)
  }

  #hear(message: Uint8Array): void {
    const decoder = createDecoder(message)
    if (readVarUint(decoder) !== SYNC) return
    const encoder = createEncoder()
    writeVarUint(encoder, SYNC)
    readSyncMessage(decoder, encoder, this.doc, this, error => {
      throw error
    })
    if (length(encoder) > 1) this.#link?.up.push(toUint8Array(encoder))
  }

  /** Who must start afresh takes along what it has no receipt for. */
  #closed(code: number): void {
    this.closures.push(code)
    this.cut()
    if (code !== CLOSE.startAfresh) return
    const unsettled = [...this.outbox.entries()].filter(([key]) => !(key in this.receipts))
    this.doc = this.#blank()
    for (const [key, value] of unsettled) this.outbox.set(key, value)
  }
}
