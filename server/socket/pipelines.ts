import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Turns, Worker } from './turns.ts'

/**
 * HTTP requests of one connection, one after another: a packet may hold hundreds of them, which must not be begun all at
 * once. Their answers go out in order anyway.
 */
class Pipeline implements Worker {
  readonly #turns: Turns
  readonly #answer: RequestListener
  readonly #waiting: [IncomingMessage, ServerResponse][] = []
  #isBusy = false

  constructor(turns: Turns, answer: RequestListener) {
    this.#turns = turns
    this.#answer = answer
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    this.#waiting.push([request, response])
    if (!this.#isBusy) this.#turns.add(this)
    this.#isBusy = true
  }

  step(): boolean {
    const [request, response] = this.#waiting.shift() ?? []
    if (!request || !response || request.socket.destroyed) return false
    response.once('close', () => this.#next())
    this.#answer(request, response)
    return false
  }

  #next(): void {
    this.#isBusy = this.#waiting.length > 0
    if (this.#isBusy) this.#turns.add(this)
  }
}

export function inTurns(turns: Turns, answer: RequestListener): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>()
  return (request, response) => {
    const pipeline = pipelines.get(request.socket) ?? new Pipeline(turns, answer)
    pipelines.set(request.socket, pipeline)
    pipeline.add(request, response)
  }
}
