import { SelfsameError } from '../model/error.ts'
import type { Strategy } from '../model/handoff/budget.ts'
import { type Envelope, verifies } from '../model/handoff/envelope.ts'
import type { GrantRequest, Permission } from '../model/handoff/grant.ts'
import type { AgreementGiven, DecisionGiven, NoteGiven, ThreadGiven, ValidationGiven } from '../model/handoff/piece.ts'
import { sha256 } from '../model/handoff/sha256.ts'
import type { Report, Work as WorkState } from '../model/handoff/work.ts'
import type { Definition } from '../model/infer.ts'
import type { Json } from '../model/value.ts'
import type { Delivery, HandoffDetails, HandoffSeen } from '../model/wire/handoff.ts'
import { Broadcast } from './broadcast.ts'
import type { Under } from './entry.ts'
import type { Answers, Delivered } from './frame.ts'
import { Handoff } from './handoff.ts'
import { newId } from './id.ts'
import { refusal } from './refusal.ts'
import { until } from './until.ts'
import { type Shared, User } from './user.ts'
import { UserModel } from './user-model.ts'

export interface StartOptions {
  /** The user's own words; they stay as they are down the chain. */
  readonly intent: string | { readonly words: string; readonly goal?: string }
  readonly task?: string
  readonly constraints?: readonly string[]
  readonly exclusions?: readonly string[]
  /** Milliseconds that may pass without a sign of life; this side gives one by itself while it is connected. */
  readonly lease?: number
  readonly grant?: GrantRequest
  /** By which a start that is sent again is known, and `desk.resume` takes the work up again. */
  readonly request?: string
}

type Target = string | { readonly role: string; readonly agent?: string }

/** What is said with work that is passed on, to one or to many. */
interface Passing {
  readonly reason: string
  readonly next?: string
  /** Your own account, besides the one that is built from the state. */
  readonly words?: string
  /** Fields that `reason`, `next` and `words` speak of. */
  readonly fields?: readonly string[]
  readonly constraints?: readonly string[]
  readonly exclusions?: readonly string[]
  /** JSON Schema that the result has to fit. */
  readonly expected?: Json
  /** Beliefs to point to. */
  readonly refs?: readonly string[]
  readonly grant?: GrantRequest
  readonly tokens?: number
  readonly strategy?: Strategy
  readonly urgency?: number
  /** Milliseconds until an offer that nobody answers is delivered again. */
  readonly acknowledge?: number
  /** Milliseconds that you stay to be asked once it is accepted; see `handoff.onQuestion`. */
  readonly overlap?: number
  /** What you take yourself to be bound by; refused as `drift` when it is not what the work says. */
  readonly restated?: {
    readonly intent?: StartOptions['intent']
    readonly constraints?: readonly string[]
    readonly exclusions?: readonly string[]
  }
  readonly version?: string
  readonly also?: readonly { readonly [key: string]: Json }[]
}

export interface HandoffOptions extends Passing {
  readonly to: Target
  readonly alternatives?: readonly Target[]
  /** `choreographed`: work that was handed on as often as is allowed waits for a person. */
  readonly mode?: 'direct' | 'choreographed'
}

export interface BroadcastOptions extends Passing {
  /** A role stands for everyone of it who is connected now. */
  readonly to: Target | readonly Target[]
  /** Milliseconds in which they have to act. */
  readonly deadline?: number
}

export interface CheckpointOptions extends Report {
  readonly state?: Json
  readonly note?: string
  readonly fields?: readonly string[]
}

const RENEWALS = 3
const OVER: ReadonlySet<HandoffSeen['state']> = new Set(['completed', 'returned', 'failed', 'passed', 'parked'])

/** Work that this agent holds, with all it was given to go on. The lease is renewed by itself while it is connected. */
export class Work<D extends Definition = Definition> {
  readonly id: string
  readonly epoch: number
  /** The user; what is written through this handle is refused once another holds the work. */
  readonly user: User<D>
  /** What was believed of the user on taking the work up. */
  readonly model: UserModel<D>
  readonly delivery: Delivery
  readonly #shared: Shared
  readonly #stopListening: () => void
  readonly #timer: ReturnType<typeof setInterval>
  #number: number
  #isHeld = true

  constructor({ columns, ...delivery }: Delivered, shared: Shared) {
    const { user, version, asOf, handoff, checkpoint } = delivery
    this.id = handoff.id
    this.epoch = handoff.epoch
    this.delivery = delivery
    this.model = new UserModel<D>({ user, version, asOf, columns })
    this.user = new User<D>(user, { ...shared, under: this.#under })
    this.#shared = shared
    this.#number = checkpoint?.number ?? 0
    this.#stopListening = shared.board.onState(this.id, seen => this.#heard(seen))
    const lease = Math.max(RENEWALS, (handoff.lease ?? asOf) - shared.clock.now())
    this.#timer = setInterval(() => this.#renew(), lease / RENEWALS)
    // A connection keeps a process of Node alive; a lease alone does not. In browsers timers are numbers.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }

  get intent(): WorkState['intent'] {
    return this.delivery.work.intent
  }

  get narrative(): string {
    return this.delivery.narrative
  }

  get envelope(): Envelope {
    return this.delivery.envelope
  }

  get checkpointed(): Delivery['checkpoint'] {
    return this.delivery.checkpoint
  }

  /** False once this side has learned that it no longer holds the work. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Whether every section that was received is one that the envelope was made with. */
  verifies(): boolean {
    return verifies(this.envelope, sha256)
  }

  thread(thread: ThreadGiven): Promise<string> {
    return this.#put('threads', thread)
  }

  validation(validation: ValidationGiven): Promise<string> {
    return this.#put('validations', validation)
  }

  note(note: string | NoteGiven): Promise<string> {
    return this.#put('environment', typeof note === 'string' ? { text: note } : note)
  }

  agree(agreement: string | AgreementGiven): Promise<string> {
    return this.#put('agreements', typeof agreement === 'string' ? { text: agreement } : agreement)
  }

  decide(decision: DecisionGiven): Promise<string> {
    return this.#put('decisions', decision)
  }

  /** That the user was asked for these fields: asking for what could have been read counts as a repeat. */
  async asked(...fields: readonly string[]): Promise<void> {
    await this.#report({ asked: [...fields] })
  }

  /** A point from which another can go on. They are numbered here, so that one that comes late never goes back. */
  checkpoint(options: CheckpointOptions): Promise<HandoffSeen> {
    this.#number += 1
    return this.#act('checkpoint', { ...withIds(options), number: this.#number })
  }

  may(action: string, parameters: { readonly [name: string]: Json } = {}): Promise<Permission> {
    return this.#shared.calls.call('may', { ...this.#under, action, parameters })
  }

  /** Offers the work to another, and keeps it until that has accepted. */
  async handoff(options: HandoffOptions): Promise<Handoff> {
    const { id } = await this.#act('handoff', { request: newId(), ...options })
    return new Handoff(id, this.#shared)
  }

  /** Offers each of many a part of its own to act on, and keeps the work. */
  async broadcast(options: BroadcastOptions): Promise<Broadcast> {
    const { id } = await this.#act('handoff', { request: newId(), ...options, mode: 'broadcast' })
    return new Broadcast(id, this.#shared)
  }

  /** Asks whoever handed the work on, while it is still there, and resolves with what it answers. */
  async ask(text: string, options: { readonly fields?: readonly string[] } = {}): Promise<string> {
    const id = await this.question(text, options)
    const handoff = new Handoff(this.id, this.#shared)
    const seen = await until(
      this.#shared.board,
      [this.id],
      () => handoff.inspect(),
      now => answerIn(now, id) !== undefined || ('envelope' in now ? now.handoff : now).overlap === null,
    )
    const answer = answerIn(seen, id)
    if (answer === undefined) throw refusal('bad_state', 'They left without an answer.')
    return answer
  }

  /** Asks without waiting: the id of the question. `handoff.onExchange` tells of the answer. */
  async question(text: string, options: { readonly fields?: readonly string[] } = {}): Promise<string> {
    const request = newId()
    await this.#act('ask', { text, request, ...options })
    return request
  }

  /** Lets whoever handed the work on go. */
  release(): Promise<HandoffSeen> {
    return this.#shared.errands.run('release', { handoff: this.id })
  }

  complete(result: Json = null): Promise<HandoffSeen> {
    return this.#end('complete', { result })
  }

  /** `retry`: another may try from the last checkpoint. */
  fail(why: string, { retry = false }: { readonly retry?: boolean } = {}): Promise<HandoffSeen> {
    return this.#end('fail', { why, retry })
  }

  /** Back to whom it came from, with what was learned. */
  return(why: string, options: { readonly next?: string; readonly fields?: readonly string[] } = {}) {
    return this.#end('return', { why, request: newId(), ...options })
  }

  /** A sign of life. There is no need to give one while connected. */
  renew(): Promise<HandoffSeen> {
    return this.#act('renew', {})
  }

  /** Stops renewing: the work is offered to another when the lease ends. */
  abandon(): void {
    this.#over()
  }

  get #under(): Under {
    const { id, epoch } = this.delivery.handoff
    return { handoff: id, epoch }
  }

  async #put(kind: Exclude<keyof Report, 'asked'>, piece: { readonly id?: string | undefined }): Promise<string> {
    const id = piece.id ?? newId()
    await this.#report({ [kind]: [{ ...piece, id }] })
    return id
  }

  async #report(report: Report): Promise<void> {
    const { agent, outbox } = this.#shared
    const { user } = this.delivery
    await this.#unlessFenced(outbox.write({ key: newId(), op: 'report', agent, user, under: this.#under, report }))
  }

  #act<Op extends 'checkpoint' | 'handoff' | 'ask' | 'renew' | 'complete' | 'fail' | 'return'>(
    op: Op,
    question: object,
  ): Promise<Answers[Op]> {
    return this.#unlessFenced(this.#shared.errands.run(op, { ...question, ...this.#under }))
  }

  async #unlessFenced<T>(acting: Promise<T>): Promise<T> {
    try {
      return await acting
    } catch (error) {
      if (error instanceof SelfsameError && error.code === 'fenced') this.#over()
      throw error
    }
  }

  async #end(op: 'complete' | 'fail' | 'return', question: object): Promise<HandoffSeen> {
    const seen = await this.#act(op, question)
    this.#over()
    return seen
  }

  /** A renewal that was refused for good has told what there is to know; one that got no answer is followed by the next. */
  #renew(): void {
    this.renew().catch((error: unknown) => {
      if (error instanceof SelfsameError && GONE.has(error.code)) this.#over()
    })
  }

  #heard(seen: HandoffSeen): void {
    if (seen.epoch > this.epoch || OVER.has(seen.state)) this.#over()
  }

  #over(): void {
    this.#isHeld = false
    clearInterval(this.#timer)
    this.#stopListening()
  }
}

const GONE: ReadonlySet<string> = new Set([
  'fenced',
  'bad_state',
  'handoff_unavailable',
  'disconnected',
  'unauthorized',
])

/** So that a report that is sent again does not add its pieces again. */
const withIds = (options: CheckpointOptions): CheckpointOptions => {
  const named = <T extends { id?: string | undefined }>(pieces: T[] | undefined) =>
    pieces?.map(piece => ({ ...piece, id: piece.id ?? newId() }))
  const { threads, validations, environment, agreements, decisions, ...rest } = options
  return {
    ...rest,
    threads: named(threads),
    validations: named(validations),
    environment: named(environment),
    agreements: named(agreements),
    decisions: named(decisions),
  }
}

const answerIn = (seen: HandoffDetails | HandoffSeen, id: string): string | undefined =>
  'exchange' in seen ? seen.exchange.find(each => each.id === id)?.answer?.text : undefined
