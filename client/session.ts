import type { SelfsameError } from '../model/error.ts'
import type { Definition } from '../model/infer.ts'
import { Backoff } from './backoff.ts'
import type { Environment } from './bare-environment.ts'
import { Board } from './board.ts'
import { Calls } from './calls.ts'
import { Clock } from './clock.ts'
import { Connection, type Hello } from './connection.ts'
import type { Entry, Place } from './entry.ts'
import { Errands } from './errands.ts'
import { Outbox, type Settlement } from './outbox.ts'
import { refusal } from './refusal.ts'
import type { Replica, ReplicaOptions } from './replica/replica.ts'
import { type Token, TokenSource } from './token.ts'
import { Versions } from './versions.ts'
import { Watches } from './watches.ts'

export interface SessionOptions {
  readonly url: URL
  readonly token: Token
  readonly place: Place | undefined
  readonly timeout: number
  readonly settled: (settlement: Settlement) => void
  readonly connection: (state: 'up' | 'down') => void
  readonly ended: (error: SelfsameError) => void
}

/** With a way to load replicas. Where there is none, Yjs is no part of what is built. */
export interface Surroundings extends Environment {
  readonly replicas?: () => Promise<typeof import('./replica/replica.ts')>
}

/** How long closing waits for writes that are not answered yet. */
const FLUSH_WITHIN = 5_000

/** A connection that comes back, and those who use it: reads, writes and watches. */
export class Session {
  readonly calls: Calls
  readonly errands: Errands
  readonly outbox: Outbox
  readonly watches: Watches
  readonly board = new Board()
  readonly versions = new Versions()
  readonly clock: Clock
  readonly #options: SessionOptions
  readonly #connection: Connection
  readonly #environment: Surroundings
  #greeted: ((hello: Hello) => void) | undefined
  #refused: ((error: SelfsameError) => void) | undefined
  #hello: Hello | undefined
  #closing: Promise<void> | undefined

  constructor(options: SessionOptions, environment: Surroundings) {
    const { url, token, place, timeout } = options
    this.#options = options
    this.#environment = environment
    this.#connection = new Connection(url, new TokenSource(token), environment, {
      up: hello => this.#up(hello),
      down: () => this.#down(),
      pushed: frame => this.watches.pushed(frame),
      told: frame => this.board.told(frame),
      ended: error => this.#ended(error),
    })
    this.calls = new Calls(this.#connection, timeout)
    this.errands = new Errands(this.calls, new Backoff(environment.random), timeout)
    this.outbox = new Outbox({
      connection: this.#connection,
      place,
      backoff: new Backoff(environment.random),
      timeout,
      answered: (user, version, order) => this.versions.wrote(user, version, order),
      unclaimed: options.settled,
    })
    this.watches = new Watches(this.#connection, new Backoff(environment.random))
    this.clock = new Clock(environment.monotonic)
  }

  /** What the server said last of who this is and what it may do. */
  get hello(): Hello {
    if (!this.#hello) throw refusal('disconnected', 'There has been no connection yet.')
    return this.#hello
  }

  /** A replica shares the connection: opening one costs no handshake. */
  async replica<D extends Definition>(user: string, options: ReplicaOptions): Promise<Replica<D>> {
    const { watches, clock } = this
    const { agent } = this.hello
    const isPerson = () => this.hello.schema.role.authority !== 'agent'
    const backoff = new Backoff(this.#environment.random)
    const own = { agent, isPerson, clock, watches, backoff, connection: this.#connection }
    const { replicas } = this.#environment
    if (!replicas) throw refusal('bad_request', 'This client was built without replicas.')
    const { Replica } = await replicas()
    return Replica.open<D>({ ...own, ...options, user, schema: () => this.hello.schema }, this.#options.timeout)
  }

  /** Resolves when the server has greeted and what an earlier process left behind is on its way. */
  async open(): Promise<void> {
    const { place, timeout } = this.#options
    try {
      const left = (await place?.load()) ?? []
      const hello = await this.#first(timeout)
      checkAgent(left, hello.agent)
      this.outbox.recover(left)
    } catch (error) {
      await this.#close(0)
      throw error
    }
  }

  close(within = FLUSH_WITHIN): Promise<void> {
    this.#closing ??= this.#close(within)
    return this.#closing
  }

  async #close(flushWithin: number): Promise<void> {
    const error = refusal('disconnected', 'The connection was closed.')
    this.#closing ??= Promise.resolve()
    this.outbox.seal(error)
    this.calls.ended(error)
    this.watches.ended(error, true)
    this.board.ended()
    await within(flushWithin, this.outbox.drained())
    this.#connection.end(error)
    await this.#options.place?.close()
  }

  #first(timeout: number): Promise<Hello> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const message = `No connection to ${this.#options.url} within ${timeout} ms: ${this.#connection.trouble}.`
        this.#connection.end(refusal('timed_out', message))
      }, timeout)
      this.#greeted = hello => {
        clearTimeout(timer)
        resolve(hello)
      }
      this.#refused = error => {
        clearTimeout(timer)
        reject(error)
      }
      this.#connection.start()
    })
  }

  #up(hello: Hello): void {
    this.#hello = hello
    this.clock.set(hello.time)
    this.#greeted?.(hello)
    this.outbox.up()
    this.calls.up()
    this.watches.up()
    this.board.up()
    this.#options.connection('up')
  }

  #down(): void {
    this.outbox.down()
    this.watches.down()
    this.#options.connection('down')
  }

  #ended(error: SelfsameError): void {
    const wanted = this.#closing !== undefined
    this.#refused?.(error)
    this.calls.ended(error)
    this.outbox.ended(error)
    this.watches.ended(error, wanted)
    this.board.ended()
    if (!wanted && this.#hello) this.#options.ended(error)
  }
}

function checkAgent(left: readonly Entry[], agent: string): void {
  const other = left.find(entry => entry.agent !== agent)
  if (other)
    throw refusal(
      'bad_request',
      `The outbox holds writes of agent ${other.agent}; this is ${agent}. Give each its own.`,
    )
}

async function within(milliseconds: number, done: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}
