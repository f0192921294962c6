import { Backoff } from '../../../client/backoff.ts'
import { Clock } from '../../../client/clock.ts'
import type { Answered } from '../../../client/connection.ts'
import type { Listed } from '../../../client/fields.ts'
import type { Answer } from '../../../client/frame.ts'
import type { Kept } from '../../../client/replica/keep.ts'
import { documentOf } from '../../../client/replica/kept-document.ts'
import { Replica } from '../../../client/replica/replica.ts'
import { type Asking, Watches } from '../../../client/watches.ts'
import type { Belief } from '../../../model/belief.ts'
import type { Definition } from '../../../model/infer.ts'
import { schemaSeen } from '../../../model/wire/schema-seen.ts'
import type { Session } from '../../../server/access/session.ts'
import { Following } from '../../../server/replica/following.ts'
import type { Site } from './site.ts'
import { USER } from './site.ts'

interface Question {
  readonly id: number
  readonly body: string
  readonly answered: Answered
}

/** The agent socket of one replica, both ends of it: what is said waits, in its order, until the test lets it pass. */
class Line implements Asking {
  readonly up: Question[] = []
  readonly down: (() => void)[] = []
  readonly #site: Site
  readonly #session: Session
  readonly #watches: () => Watches
  readonly #kept: Uint8Array[]
  readonly #stops = new Map<number, () => void>()
  #lastId = 0
  isUp = false

  constructor(site: Site, session: Session, watches: () => Watches, kept: Uint8Array[]) {
    this.#site = site
    this.#session = session
    this.#watches = watches
    this.#kept = kept
  }

  ask(body: string, answered: Answered): number | undefined {
    if (!this.isUp) return undefined
    this.#lastId += 1
    this.up.push({ id: this.#lastId, body, answered })
    return this.#lastId
  }

  cut(): void {
    this.isUp = false
    this.up.length = 0
    this.down.length = 0
    for (const stop of this.#stops.values()) stop()
    this.#stops.clear()
  }

  /** The server takes up a request. */
  async serve({ id, body, answered }: Question): Promise<void> {
    const { op, observations, watch } = JSON.parse(body)
    if (op === 'replicate') this.#answer(answered, await this.#follow(id))
    else if (op === 'unwatch') this.#answer(answered, this.#leave(watch))
    else {
      const outcomes = await this.#site.write(this.#session, 'observation', ...observations)
      this.#answer(answered, JSON.stringify({ version: '', outcomes }))
    }
  }

  #follow(id: number): Promise<string> {
    const outgoing = {
      answer: (text: string) => this.#push(text),
      change: (_watch: number, _resync: string, make: () => string) => this.#push(make()),
    }
    const following = new Following(id, this.#session, this.#site.room, this.#site.house, outgoing)
    const resync = JSON.stringify({ watch: id, user: USER, resync: true })
    const scope = this.#site.scope(this.#session)
    let stop = following.within(scope)
    const stopListening = this.#site.scopes.onChangeOf(this.#session.agent, () => {
      stop()
      stop = following.within(this.#site.scope(this.#session))
      this.#push(resync)
    })
    this.#stops.set(id, () => {
      stop()
      stopListening()
    })
    return following.state(scope)
  }

  #leave(watch: number): string {
    this.#stops.get(watch)?.()
    this.#stops.delete(watch)
    return '{}'
  }

  #push(text: string): void {
    this.#send(text, () => this.#watches().pushed(JSON.parse(text)))
  }

  #answer(answered: Answered, ok: string): void {
    this.#send(ok, () => answered({ ok: JSON.parse(ok) } satisfies Answer))
  }

  #send(text: string, arrive: () => void): void {
    if (!this.isUp) return
    this.#kept.push(Buffer.from(text))
    this.down.push(arrive)
  }
}

const EMPTY = documentOf({ evidence: new Map(), outbox: [] })

/** A replica of the SDK on a hand-flushed network. */
export class SdkPeer {
  readonly session: Session
  /** Every message that ever left the server for it. */
  readonly received: Uint8Array[] = []
  readonly #site: Site
  readonly #watches: Watches
  readonly #line: Line
  readonly #copies: Kept[] = []
  #kept: Kept
  #replica: Replica | undefined
  /** Milliseconds by which its clock is ahead. */
  #ahead = 0

  private constructor(site: Site, session: Session) {
    this.#site = site
    this.session = session
    this.#kept = { agent: session.agent, user: USER, document: EMPTY }
    this.#line = new Line(site, session, () => this.#watches, this.received)
    this.#watches = new Watches(this.#line, new Backoff(() => 0))
  }

  static async settle(site: Site, session: Session): Promise<SdkPeer> {
    const peer = new SdkPeer(site, session)
    await peer.#open()
    return peer
  }

  get isOnline(): boolean {
    return this.#line.isUp
  }

  get replica(): Replica {
    if (!this.#replica) throw new Error('The replica has not been opened.')
    return this.#replica
  }

  join(): void {
    if (this.#line.isUp) return
    this.#line.isUp = true
    this.#watches.up()
  }

  /** Whatever is on the way is lost. */
  cut(): void {
    if (!this.#line.isUp) return
    this.#line.cut()
    this.#watches.down()
  }

  /** Lets some messages pass; false when none waited. */
  async flush(way: 'up' | 'down', count: number): Promise<boolean> {
    const waiting = this.#line[way].length
    for (let left = Math.min(count, waiting); left > 0; left--)
      if (way === 'down') this.#line.down.shift()?.()
      else {
        const question = this.#line.up.shift()
        if (question) await this.#line.serve(question)
      }
    return waiting > 0
  }

  post(_key: string, word: Listed<Definition>): void {
    // What it is worth shows in the end; a replica that is put back leaves whoever waited.
    this.replica.observe([word]).catch(() => undefined)
  }

  async keepCopy(): Promise<void> {
    this.#copies.push(await this.#close())
    await this.#open()
  }

  /** As from a backup, or a tab that slept: an earlier state, with the outbox it had. */
  async putBack(which: number): Promise<void> {
    const copy = this.#copies[which % Math.max(1, this.#copies.length)]
    if (!copy) return
    await this.#close()
    this.cut()
    this.#kept = copy
    await this.#open()
  }

  /** What it believes some time from now. */
  beliefsAt(later: number, task: string | undefined): Map<string, Belief> {
    this.#ahead = later
    const read = [...this.replica.entries(task === undefined ? {} : { task })]
    this.#ahead = 0
    return new Map(read.map(([field, { pending: _, ...belief }]) => [field, belief as Belief]))
  }

  async end(): Promise<void> {
    this.cut()
    await this.#close()
  }

  async #close(): Promise<Kept> {
    await this.replica.close()
    return this.#kept
  }

  async #open(): Promise<void> {
    const { agent, role } = this.session
    const keep = {
      load: async () => this.#kept,
      save: async (kept: Kept) => {
        this.#kept = kept
      },
    }
    this.#replica = await Replica.open(
      {
        user: USER,
        agent,
        keep,
        isPerson: () => role.authority !== 'agent',
        schema: () => this.#seen,
        clock: new Clock(() => this.#site.clock.now() + this.#ahead),
        watches: this.#watches,
        connection: this.#line,
        backoff: new Backoff(() => 0),
      },
      1_000,
    )
  }

  get #seen() {
    return schemaSeen(this.#site.schema, this.session.role)
  }
}
