import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { CLOSE } from '../../model/wire/frame.ts'
import type { Limits } from '../limits.ts'

/** Bytes that are worth a call to the system of their own. */
const TOGETHER_BYTES = 32_768

/**
 * What waits to be sent to one connection, bounded. Answers always go out; when a reader is slow, changes it watches are
 * left out from a first mark on and it is told to read anew once it has caught up; who stays there too long, or reaches
 * the second mark, is cut. Nobody else feels it.
 */
export class Outgoing {
  readonly #socket: WebSocket
  readonly #wire: Socket
  readonly #limits: Limits
  readonly #missed = new Map<number, string>()
  #slowSince: number | undefined
  #isCorked = false

  constructor(socket: WebSocket, wire: Socket, limits: Limits) {
    this.#socket = socket
    this.#wire = wire
    this.#limits = limits
  }

  answer(message: string | Uint8Array): void {
    this.#send(message)
  }

  /** A change of a watch, or, if there is no room for it, a note that one was missed. */
  change(watch: number, resync: string, make: () => string): void {
    if (this.#missed.has(watch) || this.#socket.bufferedAmount > this.#limits.sendQueueBytes)
      this.#missed.set(watch, resync)
    else this.#send(make())
  }

  /** An offer that there is no room for is not lost: it is delivered again, here or to another. */
  offer(text: string): void {
    if (this.#socket.bufferedAmount <= this.#limits.sendQueueBytes) this.#send(text)
  }

  forget(watch: number): void {
    this.#missed.delete(watch)
  }

  /** Looks whether the reader has caught up, or must be cut. To be called now and then, and after each drain. */
  review(now: number): void {
    const waiting = this.#socket.bufferedAmount
    if (waiting <= this.#limits.sendQueueBytes) {
      this.#slowSince = undefined
      this.#catchUp()
      return
    }
    this.#slowSince ??= now
    if (now - this.#slowSince > this.#limits.slowReaderDeadline) this.#cut()
  }

  #catchUp(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    for (const resync of this.#missed.values()) this.#socket.send(resync)
    this.#missed.clear()
  }

  #send(message: string | Uint8Array): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#cork()
    this.#socket.send(message)
    if (this.#wire.writableLength >= TOGETHER_BYTES) this.#uncork()
    if (this.#socket.bufferedAmount > this.#limits.sendQueueMaximum) this.#cut()
  }

  /** Small answers of one turn of the event loop go to the system together, but none waits for many others. */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#wire.cork()
    setImmediate(() => this.#uncork())
  }

  #uncork(): void {
    if (this.#isCorked) this.#wire.uncork()
    this.#isCorked = false
  }

  /** The reason waits behind all the rest: who reads on hears it, who does not is cut by the deadline of closings. */
  #cut(): void {
    this.#socket.close(CLOSE.tooSlow, 'you read too slowly')
  }
}
