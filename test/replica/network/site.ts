import { pino } from 'pino'
import { ok, type Result, unwrap } from '../../../model/error.ts'
import type { Schema } from '../../../model/schema.ts'
import { type Scope, scopeOf } from '../../../model/scope.ts'
import type { ItemOutcome } from '../../../model/wire/frame.ts'
import { Authority } from '../../../server/access/authority.ts'
import { Doorkeeper } from '../../../server/access/doorkeeper.ts'
import { Policy } from '../../../server/access/policy.ts'
import { Rate } from '../../../server/access/rate.ts'
import { type Session, sessionOf } from '../../../server/access/session.ts'
import { Aliases } from '../../../server/alias/aliases.ts'
import { Journal } from '../../../server/audit/journal.ts'
import { DEFAULT_LIMITS, type Limits } from '../../../server/limits.ts'
import { Metrics } from '../../../server/metrics.ts'
import { receiptsAuthor } from '../../../server/replica/author.ts'
import { Exchange, type Wire } from '../../../server/replica/exchange.ts'
import { type Item, itemOf } from '../../../server/room/commit.ts'
import type { House } from '../../../server/room/house.ts'
import { Room } from '../../../server/room/room.ts'
import { Archive } from '../../../server/store/archive.ts'
import { Keyring } from '../../../server/store/keyring.ts'
import { MemoryStorage } from '../../../server/store/memory.ts'
import { MemoryDisk } from '../../../server/store/memory-cells.ts'
import { Clock } from '../../server/support/clock.ts'

export const USER = 'u'
const YEARS = 100 * 365 * 86_400_000

/** Scopes that a test widens and narrows. */
class Scopes extends Authority {
  readonly #granted = new Map<string, Scope>()

  override scope({ agent, scope }: Session): Result<Scope> {
    return ok(this.#granted.get(agent) ?? scope)
  }

  grant({ agent, role }: Session, fields: readonly string[]): void {
    this.#granted.set(agent, scopeOf(role, { fields }))
    this.changed(agent, USER)
  }
}

const metrics = new Metrics({ rooms: () => 1, connections: () => 1 })

interface Running {
  readonly storage: MemoryStorage
  readonly house: House
  readonly room: Room
}

export interface SiteOptions {
  readonly schema: Schema
  readonly limits?: Partial<Limits>
  /** Two sites with the same keys seal and name everything alike. */
  readonly keys?: MemoryDisk
}

/** A server without sockets: one user's room, on a disk that outlives it. */
export class Site {
  readonly clock = new Clock()
  readonly store = new MemoryDisk()
  readonly scopes: Scopes
  readonly faults: unknown[] = []
  readonly #keys: MemoryDisk
  readonly #limits: Limits
  readonly #keeper = new Doorkeeper(
    new Rate(1e9, 1e9),
    metrics,
    pino({ level: 'silent' }),
    this.clock.now,
    () => undefined,
  )
  #schema: Schema
  #running: Running | undefined
  #opened = 0

  private constructor({ schema, limits, keys = new MemoryDisk() }: SiteOptions) {
    this.#schema = schema
    this.scopes = new Scopes(this.clock.now, { of: () => [] }, new Policy(schema))
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    this.#keys = keys
  }

  static async start(options: SiteOptions): Promise<Site> {
    const site = new Site(options)
    await site.#start()
    return site
  }

  get schema(): Schema {
    return this.#schema
  }

  get room(): Room {
    return this.#now.room
  }

  get house(): House {
    return this.#now.house
  }

  get archive(): Archive {
    return this.#now.house.archive
  }

  session(agent: string, role: string): Session {
    const token = { tokenId: agent, issued: 0, expires: this.clock.now() + YEARS }
    return sessionOf(agent, unwrap(this.#schema.role(role)), token)
  }

  scope(session: Session): Scope {
    return unwrap(this.scopes.scope(session))
  }

  /** Its receipts have an author by the order of opening. */
  open(wire: Wire, session: Session): Exchange {
    const { house, room } = this.#now
    const author = receiptsAuthor(BigInt(++this.#opened))
    return new Exchange(
      wire,
      session,
      this.scope(session),
      room,
      { house, keeper: this.#keeper, admits: () => true },
      author,
    )
  }

  write(session: Session, kind: Item['kind'], ...inputs: readonly object[]): Promise<readonly ItemOutcome[]> {
    return this.room.submit({ session, items: inputs.map(input => itemOf(kind, input)), atomic: false })
  }

  /** Lets all that is under way on the server come to its end. */
  async calm(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) {
      await new Promise(resolve => setImmediate(resolve))
      await this.room.quiet()
    }
  }

  /** Also writes down what only memory held. */
  async settle(): Promise<void> {
    await this.room.settle()
    await this.calm()
  }

  /** A crash loses what was not written down; an orderly end does not. */
  async restart(how: 'orderly' | 'crash', schema = this.#schema, meanwhile?: () => Promise<void>): Promise<void> {
    const { storage, room, house } = this.#now
    if (how === 'orderly') {
      await room.settle()
      await house.archive.close()
    } else storage.crash()
    await meanwhile?.()
    this.#schema = schema
    this.scopes.policy.adopt(schema)
    await this.#start()
  }

  get #now(): Running {
    if (!this.#running) throw new Error('The site has not been started.')
    return this.#running
  }

  async #start(): Promise<void> {
    const storage = new MemoryStorage({ disk: this.store })
    const archive = new Archive(storage, Keyring.inMemory(this.#keys))
    // What a process that was killed had still meant to write is no fault of the one that follows it.
    const onFault = (error: unknown) => {
      if (storage === this.#running?.storage) this.faults.push(error)
    }
    const place = {
      audit: archive.audit,
      schema: () => this.#schema,
      now: this.clock.now,
      handoffOf: () => undefined,
      onFault,
    }
    const house = {
      journal: new Journal(place),
      schema: this.#schema,
      archive,
      limits: this.#limits,
      now: this.clock.now,
      authority: this.scopes,
      aliases: new Aliases(archive),
      onDamage: () => undefined,
      onFault,
    }
    this.#running = { storage, house, room: await Room.load(USER, house) }
  }
}

const TURNS = 3
