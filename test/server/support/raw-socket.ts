import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'
import { z } from 'zod'

const frame = z.looseObject({ id: z.number().nullish(), watch: z.number().optional() })
export type Frame = z.infer<typeof frame>

export interface Closing {
  readonly code: number
  readonly reason: string
}

export interface Opening extends ClientOptions {
  readonly token?: string
  readonly protocols?: readonly string[]
}

/** A socket of which every frame is kept and any can be awaited. */
export class RawSocket {
  readonly closed: Promise<Closing>
  /** Every frame as it came. */
  readonly texts: string[] = []
  readonly #socket: WebSocket
  readonly #frames: Frame[] = []
  readonly #waiting = new Set<(frame: Frame) => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = new Promise(resolve => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    })
    socket.on('message', data => {
      const text = data.toString()
      const read = frame.parse(JSON.parse(text))
      this.texts.push(text)
      this.#frames.push(read)
      for (const look of this.#waiting) look(read)
    })
  }

  /** Resolves when the upgrade is done, whether the server then greets or closes. */
  static async open(url: string, { token, protocols = [], headers, ...options }: Opening = {}): Promise<RawSocket> {
    const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/agent`, [...protocols], {
      ...options,
      headers: { ...bearer, ...headers },
    })
    const raw = new RawSocket(socket)
    await once(socket, 'open')
    return raw
  }

  get protocol(): string {
    return this.#socket.protocol
  }

  /** The first frame there is or comes that fits. */
  frame(fits: (frame: Frame) => boolean): Promise<Frame> {
    const known = this.#frames.find(fits)
    if (known) return Promise.resolve(known)
    return new Promise((resolve, reject) => {
      const look = (candidate: Frame) => {
        if (!fits(candidate)) return
        this.#waiting.delete(look)
        resolve(candidate)
      }
      this.#waiting.add(look)
      this.closed.then(({ code }) => reject(new Error(`The socket was closed with ${code}.`)))
    })
  }

  hello(): Promise<Frame> {
    return this.frame(candidate => 'hello' in candidate)
  }

  send(op: string, parameters: object): number {
    this.#lastId += 1
    this.#socket.send(JSON.stringify({ id: this.#lastId, op, ...parameters }))
    return this.#lastId
  }

  /** What was answered: `ok`, or the refusal under `error`. */
  async ask(op: string, parameters: object): Promise<Frame> {
    const id = this.send(op, parameters)
    return this.frame(candidate => candidate.id === id)
  }

  /** The answer of a request that must not be refused. */
  async get<T>(shape: z.ZodType<T>, op: string, parameters: object): Promise<T> {
    const answer = await this.ask(op, parameters)
    return shape.parse(answer['ok'])
  }

  text(text: string): void {
    this.#socket.send(text)
  }

  async close(): Promise<void> {
    this.#socket.close()
    await this.closed
  }

  drop(): void {
    this.#socket.terminate()
  }
}
