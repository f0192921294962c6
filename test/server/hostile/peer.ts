import { onTestFinished } from 'vitest'
import { type RawData, WebSocket } from 'ws'
import type { Refusal } from '../../../model/error.ts'
import type { Serving } from '../process/serving.ts'

export interface Answer {
  readonly id?: number | null
  readonly ok?: unknown
  readonly error?: Refusal
  readonly watch?: number
  readonly resync?: true
  readonly hello?: unknown
}

export interface Closing {
  readonly code: number
  readonly reason: string
}

/** One end of an agent socket that can be told to say anything. */
export class Peer {
  readonly socket: WebSocket
  /** All that is no answer. */
  readonly frames: Answer[] = []
  readonly closed: Promise<Closing>
  readonly #answers = new Map<number, Answer>()
  readonly #onFrame = new Set<() => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('message', (data: RawData) => {
      this.#keep(JSON.parse(String(data)))
      for (const look of [...this.#onFrame]) look()
    })
    this.closed = new Promise(resolve => {
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
    })
    onTestFinished(() => socket.terminate())
  }

  /** Opened, with whatever came of it: a hello, or a closing. */
  static open(url: string, headers: Readonly<Record<string, string>> = {}): Peer {
    const options = { headers, perMessageDeflate: false, autoPong: true }
    return new Peer(new WebSocket(`${url.replace('http', 'ws')}/v1/agent`, options))
  }

  static async connect(server: Serving, agent: string, role = 'triage'): Promise<Peer> {
    const peer = Peer.open(server.url, { authorization: `Bearer ${await server.token(agent, role)}` })
    await peer.frame(({ hello }) => hello !== undefined)
    return peer
  }

  /** The first frame, from the first on, that is as asked for; rejects when the connection ends without. */
  frame(wanted: (frame: Answer) => boolean): Promise<Answer> {
    return this.#when(() => this.frames.find(wanted))
  }

  answer(id: number): Promise<Answer> {
    return this.#when(() => this.#answers.get(id))
  }

  #when(find: () => Answer | undefined): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find()
        if (!found) return
        this.#onFrame.delete(look)
        resolve(found)
      }
      this.#onFrame.add(look)
      this.closed.then(({ code, reason }) => reject(new Error(`Closed with ${code} ${reason}`)))
      look()
    })
  }

  #keep(frame: Answer): void {
    if (typeof frame.id === 'number') this.#answers.set(frame.id, frame)
    else this.frames.push(frame)
  }

  ask(op: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.answer(this.say(op, parameters))
  }

  /** Without waiting for the answer, whose id it returns. */
  say(op: string, parameters: Readonly<Record<string, unknown>> = {}): number {
    this.#lastId += 1
    this.socket.send(JSON.stringify({ id: this.#lastId, op, ...parameters }))
    return this.#lastId
  }

  observe(user: string, value: string, id?: string): Promise<Answer> {
    return this.ask('observe', { user, observations: [{ field: 'need.issue', value, ...(id && { id }) }] })
  }
}
