import { type Code, SelfsameError } from '../model/error.ts'
import {
  type AlertFrame,
  CLOSE,
  type ExchangeFrame,
  type HandoffFrame,
  type HelloFrame,
  type OfferFrame,
  type ServerFrame,
} from '../model/wire/frame.ts'
import { Backoff } from './backoff.ts'
import type { Environment } from './bare-environment.ts'
import { type Answer, bodyOf, frameOf, readFrame } from './frame.ts'
import { Pulse } from './pulse.ts'
import { refusal } from './refusal.ts'
import type { Closing, Socket } from './socket.ts'
import type { TokenSource } from './token.ts'
import type { PushedFrame } from './watched.ts'

/** The server works on 1,024 requests of one connection at a time; more than these wait on this side. */
const MAX_IN_FLIGHT = 1_000
/** A dial that has not led to a hello by then is given up and begun again. */
const HELLO_WITHIN = 10_000
/** A connection that lasted this long was a good one: the next failure is the first again. */
const STEADY_AFTER = 10_000
const NORMAL_CLOSE = 1_000

/** Closings that come back with the same token would meet again. A slow reader may come back: it reads anew. */
const FINAL: ReadonlyMap<number, Code> = new Map([
  [CLOSE.unauthorized, 'unauthorized'],
  [CLOSE.forbidden, 'forbidden'],
  [CLOSE.tooLarge, 'too_large'],
  [CLOSE.badFrame, 'bad_request'],
])

export type Hello = HelloFrame['hello']
export type Answered = (answer: Answer) => void

/** Those who use a connection. What they asked on one that went down they ask again when it is up. */
export interface Listener {
  up(hello: Hello): void
  down(): void
  pushed(frame: PushedFrame): void
  told(frame: OfferFrame | HandoffFrame | ExchangeFrame | AlertFrame): void
  ended(error: SelfsameError): void
}

/**
 * One connection that comes back.
 *
 *     idle ─▶ dialling ──hello──▶ open
 *                │  ▲              │
 *              lost └── waiting ◀──┘ lost          any state ──▶ ended: for good
 */
type State =
  | { readonly name: 'idle' }
  | Dialling
  | Open
  | { readonly name: 'waiting'; readonly timer: Timer }
  | { readonly name: 'ended'; readonly error: SelfsameError }

interface Dialling {
  readonly name: 'dialling'
  readonly deadline: Timer
  /** Not there yet while the token is being fetched. */
  socket?: Socket
}

interface Open {
  readonly name: 'open'
  readonly socket: Socket
  readonly pulse: Pulse
  readonly since: number
  readonly asked: Map<number, Answered>
  readonly queue: Question[]
}

interface Question {
  readonly id: number
  readonly body: string
  readonly answered: Answered
}

type Timer = ReturnType<typeof setTimeout>

export class Connection {
  readonly #url: URL
  readonly #tokens: TokenSource
  readonly #environment: Environment
  readonly #listener: Listener
  readonly #backoff: Backoff
  #state: State = { name: 'idle' }
  #lastId = 0
  #agent: string | undefined
  /** Why the last attempt failed, for whoever gives up waiting. */
  #trouble = 'no answer'

  constructor(url: URL, tokens: TokenSource, environment: Environment, listener: Listener) {
    this.#url = url
    this.#tokens = tokens
    this.#environment = environment
    this.#listener = listener
    this.#backoff = new Backoff(environment.random)
  }

  get trouble(): string {
    return this.#trouble
  }

  start(): void {
    if (this.#state.name === 'idle') this.#dial()
  }

  /**
   * Sends now, or when fewer are in flight, and answers once; never when the connection goes down before. Undefined
   * when it is down: ask again when it is up.
   */
  ask(body: string, answered: Answered): number | undefined {
    const state = this.#state
    if (state.name !== 'open') return undefined
    this.#lastId += 1
    const question = { id: this.#lastId, body, answered }
    if (state.asked.size < MAX_IN_FLIGHT) send(state, question)
    else state.queue.push(question)
    return question.id
  }

  end(error: SelfsameError): void {
    const state = this.#state
    if (state.name === 'ended') return
    this.#state = { name: 'ended', error }
    leave(state)
    if (state.name === 'open') state.socket.close(NORMAL_CLOSE, 'done')
    else if (state.name === 'dialling') state.socket?.cut()
    this.#listener.ended(error)
  }

  async #dial(): Promise<void> {
    const deadline = setTimeout(() => this.#lost('no hello in time'), HELLO_WITHIN)
    const dialling: Dialling = { name: 'dialling', deadline }
    this.#state = dialling
    const token = await this.#tokens.get().catch((error: unknown) => new Error(`no token: ${error}`))
    if (this.#state !== dialling) return
    if (token instanceof Error) this.#lost(token.message)
    else this.#try(dialling, token)
  }

  #try(dialling: Dialling, token: string): void {
    try {
      dialling.socket = this.#open(token)
    } catch (error) {
      this.end(refusal('unauthorized', `The token can't be sent: ${error}`))
    }
  }

  #open(token: string): Socket {
    const socket = this.#environment.open(
      { url: this.#url, token },
      {
        message: text => this.#holds(socket) && this.#received(text),
        heard: () => this.#holds(socket) && this.#heard(),
        closed: closing => this.#holds(socket) && this.#closed(closing),
      },
    )
    return socket
  }

  /** Whether a socket is the one in use; what a former one still has to say no longer matters. */
  #holds(socket: Socket): boolean {
    const state = this.#state
    return (state.name === 'open' || state.name === 'dialling') && state.socket === socket
  }

  #heard(): void {
    if (this.#state.name === 'open') this.#state.pulse.heard()
  }

  #received(text: string): void {
    this.#heard()
    const frame = readFrame(text)
    if (frame) this.#read(frame)
    else this.#lost('the server sent what is no frame')
  }

  #read(frame: ServerFrame): void {
    if ('hello' in frame) this.#greeted(frame.hello)
    else if ('watch' in frame) this.#listener.pushed(frame)
    else if ('offer' in frame || 'handoff' in frame || 'exchange' in frame || 'alert' in frame)
      this.#listener.told(frame)
    else if (!('error' in frame)) this.#answered(frame.id, frame)
    else if (frame.id !== null) this.#answered(frame.id, frame)
    // What this side sends always has an id: a server that can't find it speaks another protocol.
    else this.end(new SelfsameError(frame.error))
  }

  #greeted(hello: Hello): void {
    const state = this.#state
    if (state.name !== 'dialling' || !state.socket) return
    this.#agent ??= hello.agent
    if (hello.agent === this.#agent) this.#enter(state, state.socket, hello)
    else this.end(refusal('unauthorized', `The new token is of agent ${hello.agent}, not of ${this.#agent}.`))
  }

  #enter(dialling: Dialling, socket: Socket, hello: Hello): void {
    leave(dialling)
    this.#tokens.accepted()
    this.#state = {
      name: 'open',
      socket,
      pulse: this.#pulse(),
      since: this.#environment.monotonic(),
      asked: new Map(),
      queue: [],
    }
    this.#listener.up(hello)
  }

  #pulse(): Pulse {
    const { rhythm, monotonic } = this.#environment
    return new Pulse(rhythm, monotonic, {
      // The smallest question there is: ending a watch that does not exist. Any answer to it will do.
      ask: () => this.ask(bodyOf({ op: 'unwatch', watch: 0 }), () => undefined),
      gone: () => this.#lost('nothing was heard for too long'),
    })
  }

  #answered(id: number, answer: Answer): void {
    if (this.#state.name !== 'open') return
    const { asked, queue } = this.#state
    const answered = asked.get(id)
    asked.delete(id)
    const next = queue.shift()
    if (next) send(this.#state, next)
    answered?.(answer)
  }

  #closed({ code, reason }: Closing): void {
    const final = FINAL.get(code)
    if (!final || (final === 'unauthorized' && this.#tokens.renew())) this.#lost(reason || `closed with ${code}`)
    else this.end(refusal(final, `The server closed the connection with ${code}: ${reason || final}.`))
  }

  #lost(trouble: string): void {
    const state = this.#state
    this.#trouble = trouble
    leave(state)
    if (state.name === 'open' || state.name === 'dialling') state.socket?.cut()
    if (state.name === 'open' && this.#environment.monotonic() - state.since >= STEADY_AFTER) this.#backoff.reset()
    this.#state = { name: 'waiting', timer: setTimeout(() => this.#dial(), this.#backoff.next()) }
    if (state.name === 'open') this.#listener.down()
  }
}

function send({ socket, asked }: Open, { id, body, answered }: Question): void {
  asked.set(id, answered)
  socket.send(frameOf(id, body))
}

function leave(state: State): void {
  if (state.name === 'dialling') clearTimeout(state.deadline)
  else if (state.name === 'waiting') clearTimeout(state.timer)
  else if (state.name === 'open') state.pulse.stop()
}
