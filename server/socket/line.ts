import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { CLOSE } from '../../model/wire/frame.ts'
import type { Limits } from '../limits.ts'
import { Assembly } from './assembly.ts'
import { Outgoing } from './outgoing.ts'
import type { Turns, Worker } from './turns.ts'

export interface Message {
  readonly data: Buffer
  readonly isBinary: boolean
}

/** Takes up a message in its turn. The next has to wait for what it returns, which must not reject. */
export type Receive = (message: Message) => Promise<void> | undefined

/** What a line works with. */
export interface Exchange {
  readonly limits: Limits
  readonly turns: Turns
  readonly now: () => number
}

/** What a message takes in memory besides its bytes. */
const MESSAGE_BYTES = 64

/** The server's end of one socket: whether the other end is alive, what waits to be taken up, what waits to be sent. */
export class Line implements Worker {
  readonly outgoing: Outgoing
  readonly closed: Promise<void>
  readonly #socket: WebSocket
  readonly #exchange: Exchange
  readonly #receive: Receive
  readonly #assembly = new Assembly()
  /** Messages that wait for their turn, about as many bytes as one message may have; then no more are read. */
  readonly #inbox: Message[] = []
  #inboxBytes = 0
  #isAlive = true
  /** Whether it waits for its turn, has it, or for what was taken up. */
  #isBusy = false

  constructor(socket: WebSocket, wire: Socket, exchange: Exchange, receive: Receive) {
    this.#socket = socket
    this.#exchange = exchange
    this.#receive = receive
    this.outgoing = new Outgoing(socket, wire, exchange.limits)
    wire.on('data', (bytes: Buffer) => this.#assembly.take(bytes, exchange.now()))
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#queue({ data, isBinary }))
    socket.on('ping', () => this.#heard())
    socket.on('pong', () => this.#heard())
    this.closed = new Promise(resolve => {
      if (socket.readyState === socket.CLOSED) resolve()
      else socket.once('close', () => resolve())
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** False when the other side has not answered the last ping. */
  ping(): boolean {
    if (!this.#isAlive) return false
    this.#isAlive = false
    this.#socket.ping()
    return true
  }

  /** Cuts who sends a message so slowly that it will not be complete in time, or does not read what it is sent. */
  review(now: number): void {
    const { since } = this.#assembly
    const isLate = since !== undefined && now - since > this.#exchange.limits.messageDeadline
    if (isLate && !this.#socket.isPaused) this.close(CLOSE.tooSlow, 'a message was not complete in time')
    this.outgoing.review(now)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  /** Nothing is done for who is being closed: a revoked token must not go on writing until it has heard of it. */
  step(): boolean {
    this.#heard()
    const message = this.#inbox.shift()
    const taking = message && this.isOpen ? this.#receive(message) : undefined
    if (taking) taking.then(() => this.#exchange.turns.add(this))
    else if (this.#inbox.length === 0) this.#rest()
    return !taking && this.#inbox.length > 0
  }

  #rest(): void {
    this.#isBusy = false
    this.#inboxBytes = 0
    if (!this.#socket.isPaused) return
    this.#assembly.renew(this.#exchange.now())
    this.#socket.resume()
  }

  #heard(): void {
    this.#isAlive = true
  }

  #queue(message: Message): void {
    this.#heard()
    this.#inbox.push(message)
    if (!this.#isBusy) this.#exchange.turns.add(this)
    this.#isBusy = true
    this.#inboxBytes += MESSAGE_BYTES + message.data.length
    if (this.#inboxBytes > this.#exchange.limits.messageBytes) this.#socket.pause()
  }
}
