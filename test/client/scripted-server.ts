import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Belief } from '../../model/belief.ts'
import type { Code } from '../../model/error.ts'
import { desk } from '../../model/sample/desk.ts'
import type { View } from '../../model/view.ts'
import { columnsOf } from '../../model/wire/columns.ts'
import type { ModelAnswer } from '../../model/wire/frame.ts'
import { schemaSeen } from '../../model/wire/schema-seen.ts'

/** What a client asked, as it came over the wire. */
export interface Asked {
  readonly id: number
  readonly op: string
  readonly user?: string
  readonly observations?: readonly { readonly id: string; readonly at: number; readonly field: string }[]
  readonly [key: string]: unknown
}

export interface Greeting {
  readonly agent?: string
  readonly role?: string
  readonly time?: number
}

/** A queue between two sides of which either may come first. Nothing sleeps: who takes waits for who puts. */
class Meeting<T> {
  readonly #here: T[] = []
  readonly #waiting: ((item: T) => void)[] = []

  put(item: T): void {
    const waiting = this.#waiting.shift()
    if (waiting) waiting(item)
    else this.#here.push(item)
  }

  take(): Promise<T> {
    const item = this.#here.shift()
    return item === undefined ? new Promise(resolve => this.#waiting.push(resolve)) : Promise.resolve(item)
  }

  get size(): number {
    return this.#here.length
  }
}

/** One connection of a client; it does what the test says and nothing else. */
export class Peer {
  readonly headers: IncomingHttpHeaders
  readonly protocol: string
  readonly #socket: WebSocket
  readonly #asked = new Meeting<Asked>()
  readonly #closed: Promise<unknown>

  constructor(socket: WebSocket, headers: IncomingHttpHeaders) {
    this.headers = headers
    this.protocol = socket.protocol
    this.#socket = socket
    this.#closed = once(socket, 'close')
    socket.on('message', (data: RawData) => this.#asked.put(JSON.parse(data.toString())))
  }

  hello({ agent = 'ava', role = 'triage', time = Date.now() }: Greeting = {}): void {
    const found = desk.role(role)
    if (!found.ok) throw new Error(found.error.message)
    this.send({ hello: { agent, role, schema: schemaSeen(desk, found.value), time, expires: time + 3_600_000 } })
  }

  asked(): Promise<Asked> {
    return this.#asked.take()
  }

  /** How many requests have come that nobody has looked at. */
  get unread(): number {
    return this.#asked.size
  }

  answer({ id }: Asked, ok: unknown): void {
    this.send({ id, ok })
  }

  refuse({ id }: Asked, code: Code): void {
    this.send({ id, error: { code, message: `because of ${code}` } })
  }

  /** Admits everything of a write. */
  admit(asked: Asked, version = 'v1'): void {
    this.answer(asked, { version, outcomes: idsOf(asked).map(id => ({ id, status: 'admitted' })) })
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  ping(): void {
    this.#socket.ping()
  }

  close(code: number, reason = ''): void {
    this.#socket.close(code, reason)
  }

  drop(): void {
    this.#socket.terminate()
  }

  async closed(): Promise<void> {
    await this.#closed
  }
}

export const idsOf = (asked: Asked): readonly string[] => (asked.observations ?? []).map(({ id }) => id)

/** A server that only does what a test tells it to, on a real socket. */
export class ScriptedServer {
  readonly #server: WebSocketServer
  readonly #peers = new Meeting<Peer>()

  private constructor(server: WebSocketServer) {
    this.#server = server
    server.on('connection', (socket, { headers }) => this.#peers.put(new Peer(socket, headers)))
  }

  static async start(port = 0): Promise<ScriptedServer> {
    const server = new WebSocketServer({ port, host: '127.0.0.1', handleProtocols: () => 'selfsame' })
    const scripted = new ScriptedServer(server)
    await once(server, 'listening')
    return scripted
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The next connection, not greeted yet. */
  connection(): Promise<Peer> {
    return this.#peers.take()
  }

  async greeted(greeting: Greeting = {}): Promise<Peer> {
    const peer = await this.connection()
    peer.hello(greeting)
    return peer
  }

  async stop(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

export const belief = (value: Belief['value'], more: Partial<Belief> = {}): Belief => ({
  value,
  confidence: 0.9,
  uncertainty: 0.1,
  status: 'fresh',
  contested: false,
  alternatives: [],
  denied: [],
  lastSeen: 1_000,
  evidence: 1,
  ...more,
})

export const modelAnswer = (beliefs: Record<string, Belief>, version = 'v1', asOf = 2_000): ModelAnswer => {
  const view: View = new Map(Object.entries(beliefs))
  return { user: 'u_42', version, asOf, columns: columnsOf(view) }
}
