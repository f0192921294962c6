import { SelfsameError } from '../model/error.ts'
import type { ObserveAnswer } from '../model/wire/frame.ts'
import type { Backoff } from './backoff.ts'
import type { Connection } from './connection.ts'
import { type Entry, type Place, questionOf } from './entry.ts'
import { type Answer, bodyOf } from './frame.ts'
import { type Written, writtenOf } from './outcome.ts'
import { refusal } from './refusal.ts'

export const MAX_WRITES = 10_000
const MAX_CHARS = 64 * 1024 * 1024

/** Refusals of a moment: the write stays and is sent again a little later. */
const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'overloaded', 'stopped'])

/** Work has no version, and is taken as a whole. */
const REPORTED: Written = { version: '', outcomes: [] }

/** What became of a write that nobody waits for any more: an earlier process made it, or its promise timed out. */
export interface Settlement {
  readonly user: string
  readonly entry: Entry
  readonly result: Written | SelfsameError
}

interface Write {
  readonly entry: Entry
  readonly body: string
  readonly order: number
  /** kept: written down where it survives, if there is such a place; sent: on the connection that is up. */
  state: 'new' | 'kept' | 'sent'
  waiting?: Waiting
}

interface Waiting {
  readonly resolve: (written: Written) => void
  readonly reject: (error: unknown) => void
  readonly timer: ReturnType<typeof setTimeout>
}

interface Options {
  readonly connection: Connection
  readonly place: Place | undefined
  readonly backoff: Backoff
  readonly timeout: number
  /** Told of every answer, in the order of answers; `order` is that of the writes. */
  readonly answered: (user: string, version: string, order: number) => void
  readonly unclaimed: (settlement: Settlement) => void
}

/**
 * Writes that are not answered yet. Each is kept, then sent, then answered, then forgotten; a connection that goes down
 * takes those that were sent back to kept. Ids and times are in the entry, so whatever is sent twice counts once.
 */
export class Outbox {
  readonly #options: Options
  readonly #writes = new Map<string, Write>()
  /** Those of them that are not sent, in the same order. */
  #unsent = new Set<Write>()
  #chars = 0
  #order = 0
  #pause: ReturnType<typeof setTimeout> | undefined
  /** Why nothing more is taken. */
  #over: Error | undefined
  #drained: (() => void)[] = []

  constructor(options: Options) {
    this.#options = options
  }

  /** Takes over what an earlier process left, ahead of everything new. */
  recover(entries: readonly Entry[]): void {
    for (const entry of entries) this.#add(entry, 'kept')
    this.#send()
  }

  async write(entry: Entry): Promise<Written> {
    const { place, timeout } = this.#options
    const failure = this.#over ?? this.#full()
    if (failure) throw failure
    const write = this.#add(entry, place ? 'new' : 'kept')
    const written = new Promise<Written>((resolve, reject) => {
      write.waiting = { resolve, reject, timer: setTimeout(() => this.#expire(write), timeout) }
    })
    if (place) this.#keep(write, place)
    this.#send()
    return written
  }

  up(): void {
    this.#send()
  }

  down(): void {
    for (const write of this.#writes.values()) if (write.state === 'sent') write.state = 'kept'
    this.#unsent = new Set(this.#writes.values())
  }

  /** Takes nothing more; what it has is still sent. */
  seal(error: SelfsameError): void {
    this.#over ??= error
  }

  /** What a place keeps stays there for the next process. */
  ended(error: SelfsameError): void {
    this.seal(error)
    clearTimeout(this.#pause)
    for (const write of this.#writes.values()) {
      this.#drop(write)
      this.#settle(write, waiting => waiting.reject(error))
    }
  }

  /** Resolves when nothing waits for an answer any more. */
  drained(): Promise<void> {
    return this.#writes.size === 0 ? Promise.resolve() : new Promise(resolve => this.#drained.push(resolve))
  }

  #full(): SelfsameError | undefined {
    if (this.#writes.size >= MAX_WRITES)
      return refusal('overloaded', `${MAX_WRITES} writes wait for an answer already. Wait for some of them.`)
    if (this.#chars >= MAX_CHARS)
      return refusal('overloaded', `The writes that wait for an answer hold ${MAX_CHARS} characters already.`)
    return undefined
  }

  #add(entry: Entry, state: Write['state']): Write {
    this.#order += 1
    const write: Write = { entry, state, body: bodyOf(questionOf(entry)), order: this.#order }
    this.#writes.set(entry.key, write)
    this.#unsent.add(write)
    this.#chars += write.body.length
    return write
  }

  #keep(write: Write, place: Place): void {
    place.append(write.entry).then(
      () => {
        if (write.state === 'new') write.state = 'kept'
        this.#send()
      },
      (error: unknown) => {
        this.#drop(write)
        this.#settle(write, waiting => waiting.reject(error))
        this.#send()
      },
    )
  }

  /** In order: one that is not kept yet holds up those behind it. */
  #send(): void {
    if (this.#pause) return
    for (const write of this.#unsent) {
      if (write.state === 'new') return
      if (this.#options.connection.ask(write.body, answer => this.#answered(write, answer)) === undefined) return
      write.state = 'sent'
      this.#unsent.delete(write)
    }
  }

  #answered(write: Write, answer: Answer): void {
    if ('error' in answer && PASSING.has(answer.error.code)) this.#again(write)
    else this.#finish(write, answer)
  }

  #finish(write: Write, answer: Answer): void {
    const result = 'ok' in answer ? this.#resultOf(write, answer.ok as ObserveAnswer) : new SelfsameError(answer.error)
    this.#drop(write)
    this.#forget(write)
    if (!write.waiting) this.#options.unclaimed({ user: write.entry.user, entry: write.entry, result })
    else this.#settle(write, ({ resolve, reject }) => (result instanceof Error ? reject(result) : resolve(result)))
  }

  #resultOf(write: Write, answer: ObserveAnswer): Written | SelfsameError {
    if (write.entry.op === 'report') return REPORTED
    this.#options.answered(write.entry.user, answer.version, write.order)
    try {
      return writtenOf(write.entry, answer)
    } catch (error) {
      if (error instanceof SelfsameError) return error
      throw error
    }
  }

  /** All wait, not just this one: the server has asked for less. */
  #again(write: Write): void {
    write.state = 'kept'
    this.#pause ??= setTimeout(() => this.#resume(), this.#options.backoff.next())
  }

  #resume(): void {
    this.#pause = undefined
    this.#unsent = new Set([...this.#writes.values()].filter(({ state }) => state !== 'sent'))
    this.#send()
  }

  #drop(write: Write): void {
    if (!this.#writes.delete(write.entry.key)) return
    this.#unsent.delete(write)
    this.#chars -= write.body.length
    if (this.#writes.size > 0) return
    for (const resolve of this.#drained.splice(0)) resolve()
  }

  /** A place that can't be written to is found out here at the latest, and the next write says so. */
  #forget(write: Write): void {
    this.#options.backoff.reset()
    this.#options.place?.remove(write.entry.key).catch((error: unknown) => {
      this.#over ??= new Error(`The outbox can no longer be written to: ${error}`)
    })
  }

  #expire(write: Write): void {
    const { connection, timeout } = this.#options
    const message = `No answer within ${timeout} ms (${connection.trouble}). The write is kept and will still be sent.`
    this.#settle(write, waiting => waiting.reject(refusal('timed_out', message)))
  }

  #settle(write: Write, settle: (waiting: Waiting) => void): void {
    const { waiting } = write
    if (!waiting) return
    clearTimeout(waiting.timer)
    delete write.waiting
    settle(waiting)
  }
}
