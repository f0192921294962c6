import type { WebSocket } from 'ws'
import { CLOSE } from '../../model/wire/frame.ts'
import type { Limits } from '../limits.ts'

/**
 * What waits to be sent to one connection, bounded. Answers always go out; when a reader is slow, changes it watches are
 * left out from a first mark on and it is told to read anew once it has caught up; who stays there too long, or reaches
 * the second mark, is cut. Nobody else feels it.
 */
export class Outgoing {
  readonly #socket: WebSocket
  readonly #limits: Limits
  readonly #missed = new Map<number, string>()
  #slowSince: number | undefined

  constructor(socket: WebSocket, limits: Limits) {
    this.#socket = socket
    this.#limits = limits
  }

  answer(text: string): void {
    this.#send(text)
  }

  /** A change of a watch, or, if there is no room for it, a note that one was missed. */
  change(watch: number, resync: string, make: () => string): void {
    if (this.#missed.has(watch) || this.#socket.bufferedAmount > this.#limits.sendQueueBytes)
      this.#missed.set(watch, resync)
    else this.#send(make())
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
    for (const resync of this.#missed.values()) this.#socket.send(resync)
    this.#missed.clear()
  }

  #send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#socket.send(text)
    if (this.#socket.bufferedAmount > this.#limits.sendQueueMaximum) this.#cut()
  }

  #cut(): void {
    this.#socket.close(CLOSE.tooSlow, 'you read too slowly')
    this.#socket.terminate()
  }
}
