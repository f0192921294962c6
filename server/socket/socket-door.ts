import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServerOptions, WebSocket, WebSocketServer } from 'ws'
import { isId } from '../../model/name.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import { isWelcome } from '../access/origin.ts'
import type { Session } from '../access/session.ts'
import type { Metrics } from '../metrics.ts'
import type { Desk } from '../operation/desk.ts'
import { Replica } from '../replica/replica.ts'
import { Connection } from './connection.ts'
import type { Guest } from './guest.ts'
import type { Turns } from './turns.ts'

const AGENT = '/v1/agent'
const REPLICA = /^\/v1\/replica\/([^/?]+)$/
const PROTOCOL = 'selfsame'
const GOING_AWAY = 1001
const TRY_AGAIN_LATER = 1013
const SERVICE_RESTART = 1012
const MESSAGE_TOO_BIG = 1009

/** The library closes with 1009 when a message is too large, which clients take for a reason to come back and try again. */
class AgentSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code === MESSAGE_TOO_BIG ? CLOSE.tooLarge : code, reason)
  }
}

/** Lets agents in by WebSocket and looks after those who are. */
export class SocketDoor {
  readonly #desk: Desk
  readonly #keeper: Doorkeeper
  readonly #metrics: Metrics
  readonly #origins: ReadonlySet<string>
  readonly #server: WebSocketServer
  readonly #turns: Turns
  readonly #connections = new Set<Guest>()
  readonly #perAgent = new Map<string, number>()
  readonly #timers: NodeJS.Timeout[] = []
  #isClosing = false

  constructor(desk: Desk, keeper: Doorkeeper, metrics: Metrics, origins: readonly string[], turns: Turns) {
    this.#turns = turns
    this.#desk = desk
    this.#keeper = keeper
    this.#metrics = metrics
    this.#origins = new Set(origins)
    const { limits } = desk.house
    const options: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      perMessageDeflate: false,
      maxPayload: limits.messageBytes,
      maxFragments: limits.fragments,
      closeTimeout: limits.messageDeadline,
      WebSocket: AgentSocket,
      handleProtocols: offered => (offered.has(PROTOCOL) ? PROTOCOL : false),
    }
    this.#server = new WebSocketServer(options)
  }

  /** From now on looks after those who are in. */
  watch(): void {
    const { heartbeat, tokenCheck } = this.#desk.house.limits
    this.#timers.push(
      setInterval(() => this.#heartbeat(), heartbeat),
      setInterval(() => this.#review(), tokenCheck),
    )
  }

  get size(): number {
    return this.#connections.size
  }

  /** Permanent refusals complete the upgrade and then close with a code, as clients retry a refused upgrade for ever. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const isFull = this.#connections.size >= this.#desk.house.limits.connections
    if (isFull) this.#metrics.upgradesRefused.inc({ reason: 'connections' })
    const purpose = purposeOf(request)
    if (!purpose) refuseUpgrade(socket, '404 Not Found')
    else if (isFull || this.#isClosing) refuseUpgrade(socket, '503 Service Unavailable')
    else this.#accept(request, socket, head, purpose)
  }

  #accept(request: IncomingMessage, socket: Duplex, head: Buffer, purpose: Purpose): void {
    this.#server.handleUpgrade(request, socket, head, accepted => {
      this.#admit(request, accepted, purpose).catch(error => {
        const { code, message } = this.#keeper.refusalOf(error)
        this.#turnAway(accepted, code === 'user_unavailable' ? CLOSE.forbidden : TRY_AGAIN_LATER, message)
      })
    })
  }

  async #admit(request: IncomingMessage, socket: WebSocket, purpose: Purpose): Promise<void> {
    // What breaks the protocol is closed by the library, with a code; there is nothing to add.
    socket.on('error', () => undefined)
    if (!this.#isKnownOrigin(request))
      return this.#turnAway(socket, CLOSE.forbidden, 'this origin is not on the allow-list')
    socket.pause()
    try {
      await this.#welcome(request, socket, purpose)
    } finally {
      socket.resume()
    }
  }

  async #welcome(request: IncomingMessage, socket: WebSocket, purpose: Purpose): Promise<void> {
    const session = await this.#sessionOf(request)
    if (!session) return this.#turnAway(socket, CLOSE.unauthorized, 'the token is missing, invalid, expired or revoked')
    const mine = this.#perAgent.get(session.agent) ?? 0
    if (mine >= this.#desk.house.limits.connectionsPerAgent)
      return this.#turnAway(socket, CLOSE.forbidden, `at most ${mine} connections an agent`)
    if (socket.readyState === socket.OPEN) await this.#open(socket, request.socket, session, purpose)
  }

  async #open(socket: WebSocket, wire: Socket, session: Session, purpose: Purpose): Promise<void> {
    this.#count(session, 1)
    socket.once('close', () => this.#count(session, -1))
    const guest = await this.#guestFor(socket, wire, session, purpose)
    this.#connections.add(guest)
    guest.closed.then(() => this.#connections.delete(guest))
    if (this.#isClosing) guest.close(GOING_AWAY, 'the server is going down')
    else this.#requireCurrent(guest)
  }

  /** The schema is another one: everyone comes back under it, and sees and hears only what it lets them. */
  renew(): void {
    for (const connection of this.#connections) this.#requireCurrent(connection)
  }

  #requireCurrent(guest: Guest): void {
    const now = this.#desk.house.authority.policy.sessionNow(guest.session)
    if (!now) guest.close(CLOSE.unauthorized, 'your role is no more')
    else if (now !== guest.session) guest.close(SERVICE_RESTART, 'the schema has changed: connect again')
  }

  async #guestFor(socket: WebSocket, wire: Socket, session: Session, purpose: Purpose): Promise<Guest> {
    const [desk, keeper, turns] = [this.#desk, this.#keeper, this.#turns]
    if (purpose.kind === 'agent') return new Connection(socket, wire, session, desk, keeper, turns)
    return Replica.open(socket, wire, session, purpose.user, { desk, keeper, turns })
  }

  #count({ agent }: Session, change: number): void {
    const count = (this.#perAgent.get(agent) ?? 0) + change
    if (count > 0) this.#perAgent.set(agent, count)
    else this.#perAgent.delete(agent)
  }

  async #sessionOf({ headers }: IncomingMessage): Promise<Session | undefined> {
    if (headers.authorization !== undefined) return this.#desk.gate.byHeader(headers.authorization)
    const [protocol, ticket] = (headers['sec-websocket-protocol'] ?? '').split(',').map(part => part.trim())
    return protocol === PROTOCOL && ticket ? this.#desk.gate.byTicket(ticket) : undefined
  }

  /** Browsers say where they come from and can be made to come by any page; programs do not and can not. */
  #isKnownOrigin({ headers }: IncomingMessage): boolean {
    return isWelcome(headers.origin, headers.host, this.#origins)
  }

  #turnAway(socket: WebSocket, code: number, reason: string): void {
    this.#metrics.upgradesRefused.inc({ reason: String(code) })
    socket.close(code, reason)
  }

  #heartbeat(): void {
    for (const connection of this.#connections) if (!connection.ping()) connection.terminate()
  }

  #review(): void {
    const now = this.#desk.house.now()
    for (const connection of this.#connections) {
      if (!this.#desk.gate.admits(connection.session))
        connection.close(CLOSE.unauthorized, 'the token has expired or was revoked')
      connection.review(now)
    }
  }

  /**
   * Takes up nothing more, gives what was taken up some milliseconds to be answered, asks everyone to come back later and
   * gives them a moment to hear it.
   */
  async close(answering: number, hearing: number): Promise<void> {
    this.#isClosing = true
    for (const timer of this.#timers) clearInterval(timer)
    const connections = [...this.#connections]
    if (answering > 0) await within(answering, Promise.all(connections.map(connection => connection.drain())))
    for (const connection of connections) connection.close(GOING_AWAY, 'the server is going down')
    await within(hearing, Promise.all(connections.map(({ closed }) => closed)))
    for (const socket of this.#server.clients) socket.terminate()
    this.#server.close()
  }
}

async function within(milliseconds: number, done: Promise<unknown>): Promise<void> {
  const deadline = new AbortController()
  const late = sleep(milliseconds, undefined, { signal: deadline.signal }).catch(() => undefined)
  await Promise.race([done, late])
  deadline.abort()
}

/** What a guest comes for. */
type Purpose = { readonly kind: 'agent' } | { readonly kind: 'replica'; readonly user: string }

function purposeOf({ url = '/' }: IncomingMessage): Purpose | undefined {
  const path = url.split('?', 1)[0] ?? ''
  if (path === AGENT) return { kind: 'agent' }
  const user = REPLICA.exec(path)?.[1]
  const name = user === undefined ? undefined : decoded(user)
  return name === undefined ? undefined : { kind: 'replica', user: name }
}

function decoded(text: string): string | undefined {
  try {
    const name = decodeURIComponent(text)
    return isId(name) ? name : undefined
  } catch {
    return undefined
  }
}

/** The upgraded socket is nobody's any more: an error on it, or a peer that never ends, must be seen to here. */
function refuseUpgrade(socket: Duplex, status: string): void {
  socket.on('error', () => undefined)
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
