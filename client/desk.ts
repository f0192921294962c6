import type { SelfsameError } from '../model/error.ts'
import type { Definition } from '../model/infer.ts'
import type { Schema } from '../model/schema.ts'
import type { HandoffSeen } from '../model/wire/handoff.ts'
import type { Alert, QualityAnswer } from '../model/wire/quality.ts'
import type { SchemaSeen } from '../model/wire/schema-seen.ts'
import { Broadcast } from './broadcast.ts'
import { DeskTools } from './desk-tools.ts'
import { DeskUser, type FramesOptions } from './desk-user.ts'
import type { Place } from './entry.ts'
import type { Answers } from './frame.ts'
import { Handoff } from './handoff.ts'
import { HandoffsWatch, type OpenHandoffs } from './handoffs-watch.ts'
import { newId } from './id.ts'
import { Offer } from './offer.ts'
import type { Settlement } from './outbox.ts'
import { fail, type ListenOptions } from './outside.ts'
import { refusal } from './refusal.ts'
import { Session, type Surroundings } from './session.ts'
import type { Token } from './token.ts'
import type { Shared } from './user.ts'
import { Work } from './work.ts'

const DEFAULT_TIMEOUT = 30_000

export interface ConnectOptions<D extends Definition> {
  /** Where the server is, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** A token, or what fetches one; it is called again when the server turns the one in use down. */
  readonly token: Token
  /** From `defineModel`: gives fields and values their types. */
  readonly model?: Schema<D>
  /** Where writes are kept until they are answered, to outlive this process: `fileOutbox(path)` in Node. */
  readonly outbox?: Place
  /** Milliseconds until `connect`, a read or a write is given up with `timed_out`. A write is still sent. */
  readonly timeout?: number
  /** Told of writes nobody waits for any more: those of an earlier process, and those that timed out. */
  readonly onSettled?: (settlement: Settlement) => void
  /** Told when the connection is up, and when it is lost and being made again. */
  readonly onConnection?: (state: 'up' | 'down') => void
  /** Told when the connection ended for good without `close`: when the token was turned down, say. */
  readonly onEnd?: (error: SelfsameError) => void
}

export interface StatsOptions {
  /** Milliseconds since 1970, or a date such as 2026-01-05. */
  readonly from?: number | string
  readonly to?: number | string
  readonly by?: 'day' | 'week'
}

/** The schema as this agent's role sees it. */
export interface DeskSchema extends Omit<SchemaSeen, 'tool'> {
  /** JSON Schema of what may be observed, for any language model's structured output. */
  tool(name: 'observe'): SchemaSeen['tool']
}

export interface ReplayOptions {
  readonly state?: 'parked' | 'failed'
  /** Whom they were offered to. */
  readonly target?: string | { readonly role: string; readonly agent?: string }
  /** Why they are parked, such as `unanswered` or `circuit_open`. */
  readonly why?: string
  readonly to?: string | { readonly role: string; readonly agent?: string }
  readonly ttl?: number
  readonly limit?: number
  readonly after?: string
}

/** One agent at work. */
export class Desk<D extends Definition = Definition> {
  readonly agent: string
  readonly #session: Session

  constructor(session: Session) {
    this.agent = session.hello.agent
    this.#session = session
  }

  get role(): string {
    return this.#session.hello.role
  }

  /** The server's time, as far as this side can know it. */
  now(): number {
    return this.#session.clock.now()
  }

  get schema(): DeskSchema {
    const { tool, ...seen } = this.#session.hello.schema
    return { ...seen, tool: () => tool }
  }

  user(id: string): DeskUser<D> {
    return new DeskUser<D>(id, this.#shared)
  }

  /**
   * Tells of work that is offered to this agent or its role, until stopped. An offer that is neither accepted nor declined
   * is told again later. What the listener throws is its own affair: it goes where nobody catches it.
   */
  onOffer(listener: (offer: Offer<D>) => unknown): () => void {
    return this.#session.board.onOffer(seen => listener(new Offer<D>(seen, this.#shared)))
  }

  /** Open handoffs, or those in one state, page by page: offers to this agent, and what it sent, holds or may see. */
  handoffs(
    options: { readonly state?: HandoffSeen['state']; readonly limit?: number; readonly after?: string } = {},
  ): Promise<Answers['handoffs']> {
    return this.#session.calls.call('handoffs', options)
  }

  /** People of the desk only: how well handoffs go, by role and by day or week; the last eight weeks if nothing else is said. */
  stats(options: StatsOptions = {}): Promise<QualityAnswer> {
    return this.#session.calls.call('stats', { ...options })
  }

  /** People of the desk who reach every user: the archive of all users, one after the other, of each the latest first. */
  async frames(options: FramesOptions = {}): Promise<Answers['deskFrames']['frames']> {
    return (await this.framesPage(options)).frames
  }

  /** The same with a `cursor`, by which the next call goes on where this one ended. */
  framesPage(options: FramesOptions = {}): Promise<Answers['deskFrames']> {
    return this.#session.calls.call('deskFrames', { ...options })
  }

  /** People of the desk only: tells what goes wrong with handoffs, and when it is over. What is active is in `stats`. */
  onAlert(listener: (alert: Alert) => void): () => void {
    return this.#session.board.onAlert(listener)
  }

  /** What is offered to this agent or its role now. */
  async offers(): Promise<Offer<D>[]> {
    return (await this.handoffs({ state: 'offered' })).offers.map(seen => new Offer<D>(seen, this.#shared))
  }

  /** Takes up again what this agent has accepted, by the request it was accepted with: after a page was loaded anew, say. */
  async resume(handoff: string, request: string): Promise<Work<D>> {
    return new Work<D>(await this.#session.errands.run('accept', { handoff, request }), this.#shared)
  }

  /**
   * Tells of all open handoffs that concern this agent, now and whenever something of them has changed, also across lost
   * connections; changes that come together are told together. Returns what stops it.
   */
  watchHandoffs(
    listener: (open: OpenHandoffs<D>) => void,
    { state, onError }: ListenOptions & { readonly state?: HandoffSeen['state'] } = {},
  ): () => void {
    const { watches } = this.#session
    const watch = new HandoffsWatch<D>(state, this.#shared, { told: listener, error: error => fail(error, onError) })
    watches.add(watch)
    return () => watches.remove(watch)
  }

  /**
   * People only: takes work from whoever has it, or from nobody. Rejects with `handoff_taken` when it no longer stands as it
   * was seen. The request is for `resume`.
   */
  async takeOver({ id, epoch }: Pick<HandoffSeen, 'id' | 'epoch'>, request = newId()): Promise<Work<D>> {
    const question = { handoff: id, over: epoch, request }
    return new Work<D>(await this.#session.errands.run('accept', question), this.#shared)
  }

  /** Accepts a handoff by its id, of which a webhook or another agent has told. */
  async take(handoff: string): Promise<Work<D>> {
    return new Work<D>(await this.#session.errands.run('accept', { handoff, request: newId() }), this.#shared)
  }

  handoff(id: string): Handoff {
    return new Handoff(id, this.#shared)
  }

  /** People only: sends all that is parked or failed on its way again, some at a time. */
  replay(options: ReplayOptions = {}): Promise<Answers['replayAll']> {
    return this.#session.errands.run('replayAll', options)
  }

  broadcast(id: string): Broadcast {
    return new Broadcast(id, this.#shared)
  }

  /** What the tools of language models work with: `selfsame mcp` and the adapters of frameworks. */
  get tools(): DeskTools {
    const { hello, errands, board } = this.#session
    return new DeskTools(this.agent, hello.schema, errands, board)
  }

  get #shared(): Shared {
    const { calls, errands, board, outbox, watches, versions, clock } = this.#session
    const replica: Shared['replica'] = (user, options) => this.#session.replica(user, options)
    const isPerson = () => this.#session.hello.schema.role.authority !== 'agent'
    return { agent: this.agent, isPerson, calls, errands, board, outbox, watches, versions, clock, replica }
  }

  /**
   * Writes that wait for an answer get some milliseconds more, 5,000 if nothing else is said; what is unanswered then is
   * rejected with `disconnected`, and stays in a durable outbox. Reads are rejected at once.
   */
  close({ within }: { readonly within?: number } = {}): Promise<void> {
    return this.#session.close(within)
  }
}

export async function connectIn<const D extends Definition = Definition>(
  environment: Surroundings,
  { url, token, model, outbox, timeout = DEFAULT_TIMEOUT, onSettled = warn, onConnection, onEnd }: ConnectOptions<D>,
): Promise<Desk<D>> {
  const ended = (error: SelfsameError) => onEnd?.(error)
  const connection = (state: 'up' | 'down') => onConnection?.(state)
  const options = { url: baseOf(url), token, place: outbox, timeout, settled: onSettled, connection, ended }
  const session = new Session(options, environment)
  await session.open()
  const mismatch = model && mismatchOf(model, session.hello.schema)
  if (mismatch === undefined) return new Desk<D>(session)
  await session.close(0)
  throw refusal('bad_schema', `${mismatch} is of another kind on the server. Connect with the model it uses.`)
}

function baseOf(given: string): URL {
  const url = URL.canParse(given) ? new URL(given.replace(/^ws/, 'http')) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw refusal('bad_request', `"${given}" is no address of a server, such as http://127.0.0.1:8787`)
}

/** Types that promise what the server does not hold are worse than none. */
function mismatchOf<D extends Definition>(model: Schema<D>, seen: SchemaSeen): string | undefined {
  return Object.entries(seen.fields).find(([name, { kind }]) => (model.fields.get(name)?.kind ?? kind) !== kind)?.[0]
}

/** That a word was lost is not kept from people even where nobody asked to be told. Values stay out of it. */
function warn({ user, entry, result }: Settlement): void {
  if (result instanceof Error) console.warn(`selfsame: a ${entry.op} for user ${user} was refused: ${result.message}`)
}
