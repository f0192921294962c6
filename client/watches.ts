import { SelfsameError } from '../model/error.ts'
import type { Backoff } from './backoff.ts'
import type { Answered } from './connection.ts'
import { type Answer, bodyOf } from './frame.ts'
import { refusal } from './refusal.ts'
import type { PushedFrame, Watched } from './watched.ts'

/** The server takes as many on one connection. */
const MAX_WATCHES = 1_000

/** Refusals of a moment: the watch is asked for again a little later. */
const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'overloaded', 'stopped', 'internal'])

/** As much of a connection as is needed to ask on it. */
export interface Asking {
  ask(body: string, answered: Answered): number | undefined
}

/** All watches of a connection. A new connection, and the server's word that changes were left out, begin them anew. */
export class Watches {
  readonly #connection: Asking
  readonly #backoff: Backoff
  /** Each with the id it is known by on the connection that is up. */
  readonly #idOf = new Map<Watched, number | undefined>()
  readonly #byId = new Map<number, Watched>()
  #retry: ReturnType<typeof setTimeout> | undefined
  #over: SelfsameError | undefined

  constructor(connection: Asking, backoff: Backoff) {
    this.#connection = connection
    this.#backoff = backoff
  }

  add(watch: Watched): void {
    if (this.#over) throw this.#over
    if (this.#idOf.size >= MAX_WATCHES)
      throw refusal('overloaded', `At most ${MAX_WATCHES} watches on one connection. Watch more fields with each.`)
    this.#begin(watch)
  }

  remove(watch: Watched): void {
    this.#leave(watch)
    this.#idOf.delete(watch)
  }

  up(): void {
    for (const watch of this.#idOf.keys()) this.#begin(watch)
  }

  down(): void {
    this.#byId.clear()
    for (const watch of this.#idOf.keys()) watch.lost?.()
  }

  ended(error: SelfsameError, isWanted: boolean): void {
    this.#over ??= error
    clearTimeout(this.#retry)
    const watches = [...this.#idOf.keys()]
    this.#idOf.clear()
    this.#byId.clear()
    for (const watch of watches)
      if (isWanted) watch.closed?.(error)
      else watch.failed(error)
  }

  pushed(frame: PushedFrame): void {
    const watch = this.#byId.get(frame.watch)
    if (!watch) return
    if ('ended' in frame) this.#refused(watch, frame.watch, new SelfsameError(frame.ended))
    else if ('resync' in frame) this.#anew(watch)
    else watch.changed(frame)
  }

  /** Asking for the watch again answers with the state now; nothing can fall between that and what follows. */
  #anew(watch: Watched): void {
    this.#leave(watch)
    this.#begin(watch)
  }

  #begin(watch: Watched): void {
    const id = this.#connection.ask(watch.body, answer => id !== undefined && this.#answered(watch, id, answer))
    this.#idOf.set(watch, id)
    if (id !== undefined) this.#byId.set(id, watch)
  }

  #leave(watch: Watched): void {
    const id = this.#idOf.get(watch)
    if (id === undefined || !this.#byId.delete(id)) return
    this.#connection.ask(bodyOf({ op: 'unwatch', watch: id }), () => undefined)
  }

  #answered(watch: Watched, id: number, answer: Answer): void {
    if (this.#byId.get(id) !== watch) return
    if ('ok' in answer) this.#began(watch, answer.ok)
    else this.#refused(watch, id, new SelfsameError(answer.error))
  }

  #began(watch: Watched, state: unknown): void {
    this.#backoff.reset()
    watch.state(state)
  }

  #refused(watch: Watched, id: number, error: SelfsameError): void {
    this.#byId.delete(id)
    if (PASSING.has(error.code)) this.#later(watch)
    else this.#fail(watch, error)
  }

  #fail(watch: Watched, error: SelfsameError): void {
    this.#idOf.delete(watch)
    watch.failed(error)
  }

  #later(watch: Watched): void {
    this.#idOf.set(watch, undefined)
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined
      for (const [waiting, id] of this.#idOf) if (id === undefined) this.#begin(waiting)
    }, this.#backoff.next())
  }
}
