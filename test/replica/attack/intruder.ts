import { once } from 'node:events'
import { createDecoder, readVarString, readVarUint, readVarUint8Array } from 'lib0/decoding'
import { onTestFinished, vi } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import * as Y from 'yjs'
import { BEGIN, type Told, update, updateMessage } from './forgery.ts'

interface Opening extends ClientOptions {
  readonly protocols?: readonly string[]
}

export interface Shown {
  readonly client: number
  readonly clock: number
  readonly state: unknown
}

interface Receipt {
  readonly status: string
  readonly error?: { readonly code: string }
}

const WAIT = { timeout: 20_000, interval: 5 }

/** A bare socket to a replica that says whatever it is told to, and applies what it hears as any client would. */
export class Intruder {
  readonly socket: WebSocket
  readonly doc = new Y.Doc()
  readonly closed: Promise<number>
  readonly heard: Uint8Array[] = []
  readonly shown: Shown[] = []
  isSynced = false
  /** Whether it applies what it hears; who asks for what is heavy to apply would hold up the honest clients of the test. */
  isListening = true

  constructor(
    url: string,
    user: string,
    token: string | undefined,
    { protocols = [], headers, ...options }: Opening = {},
  ) {
    const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` }
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/v1/replica/${user}`, [...protocols], {
      ...options,
      headers: { ...bearer, ...headers },
    })
    this.socket.on('error', () => undefined)
    this.socket.on('message', data => this.#hear(Uint8Array.from(data as Buffer)))
    this.closed = new Promise(resolve => {
      this.socket.once('close', code => resolve(code))
    })
    onTestFinished(() => this.socket.terminate())
  }

  static async opened(url: string, user: string, token: string | undefined, opening?: Opening): Promise<Intruder> {
    const intruder = new Intruder(url, user, token, opening)
    await once(intruder.socket, 'open')
    return intruder
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN
  }

  send(...messages: readonly (Uint8Array | string)[]): void {
    for (const message of messages) this.socket.send(message)
  }

  async synced(begin = BEGIN): Promise<this> {
    this.send(begin)
    await vi.waitUntil(() => this.isSynced || !this.isOpen, WAIT)
    return this
  }

  /** Writes structs as if it were these clients. */
  write(...told: readonly Told[]): void {
    this.send(updateMessage(update(told)))
  }

  get receipts(): Record<string, Receipt> {
    return this.doc.getMap('receipts').toJSON()
  }

  async receipt(key: string): Promise<Receipt> {
    await vi.waitUntil(() => this.receipts[key] || !this.isOpen, WAIT)
    const receipt = this.receipts[key]
    if (!receipt) throw new Error(`Closed with ${await this.closed} before the receipt of ${key}.`)
    return receipt
  }

  get evidence(): Record<string, Record<string, unknown>> {
    return this.doc.getMap('evidence').toJSON()
  }

  /** Settles when all that was sent before has been taken up. */
  async heardOut(): Promise<void> {
    const before = this.heard.length
    this.send(BEGIN)
    await vi.waitUntil(() => this.heard.length > before || !this.isOpen, WAIT)
  }

  #hear(message: Uint8Array): void {
    this.heard.push(message)
    const decoder = createDecoder(message)
    if (readVarUint(decoder) === 1) this.#see(readVarUint8Array(decoder))
    else if (readVarUint(decoder) > 0) {
      this.isSynced = true
      if (this.isListening) Y.applyUpdate(this.doc, readVarUint8Array(decoder))
    }
  }

  #see(states: Uint8Array): void {
    const decoder = createDecoder(states)
    for (let left = readVarUint(decoder); left > 0; left--)
      this.shown.push({
        client: readVarUint(decoder),
        clock: readVarUint(decoder),
        state: JSON.parse(readVarString(decoder)),
      })
  }
}
