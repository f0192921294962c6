import { z } from 'zod'
import { SelfsameError } from '../../model/error.ts'
import type { Evidence } from '../../model/evidence.ts'
import type { Patterns } from '../../model/pattern.ts'
import type { Scope } from '../../model/scope.ts'
import type { SelfModel } from '../../model/self-model.ts'
import { type Question, view } from '../../model/view.ts'
import type { ItemOutcome } from '../../model/wire/frame.ts'
import type { Joins } from '../alias/aliases.ts'
import { noteWritten } from '../audit/written.ts'
import { noteHeard } from '../quality/repeat.ts'
import type { Document } from '../replica/document.ts'
import { Presence } from '../replica/presence.ts'
import { Settled } from '../replica/settled.ts'
import type { Loaded } from '../store/archive.ts'
import type { Head } from '../store/storage.ts'
import { Arrivals } from './arrivals.ts'
import { believedOf, circumstancesOf, foldedTo, modelOf, namesOf, writtenAt } from './circumstance.ts'
import { claimsOf, formCommit, type Ground, type Submission } from './commit.ts'
import { Episodes } from './episode.ts'
import { folded } from './folding.ts'
import { groundOf } from './ground.ts'
import { Growth } from './growth.ts'
import type { House } from './house.ts'
import { Joined, said } from './joined.ts'
import { LastWrites, touchedBy } from './last-writes.ts'
import { type Follower, LedDocument } from './led-document.ts'
import { oneOfEach } from './one-of-each.ts'
import { ServedMemory } from './served.ts'
import { ServedView, ViewCache } from './view-cache.ts'
import { type Watcher, Watchers } from './watchers.ts'
import { WriteQueue } from './write-queue.ts'

/** Someone for whom this user is another name. */
interface Account {
  readonly room: Room
  heard(evidence: readonly Evidence[]): void
}

const SERVED = 'served'
const WRITES = 'writes'
const SETTLED = 'settled'
const BYTES_PER_PIECE = 1_500
/** The share of a user's space from which on every fold compacts all. */
const SHORT_OF_SPACE = 0.5

/** What is kept with a snapshot. */
const keptShape = z.object({ layout: z.unknown(), growth: z.unknown() })

/** The live state of one user: what is durable, and nothing else. */
export class Room {
  readonly user: string
  readonly presence = new Presence()
  readonly settled: Settled
  readonly #house: House
  readonly #queue: WriteQueue
  readonly #views: ViewCache
  readonly #served: ServedMemory
  #episodes: Episodes
  readonly #lastWrites: LastWrites
  #growth: Growth
  readonly #watchers = new Watchers()
  readonly #joined: Joined
  readonly #led: LedDocument
  readonly #arrivals = new Arrivals()
  #head: Head
  #unfolded: number
  #joins: Joins
  /** The room of the account that this name is joined to, while it is there. */
  #account: Account | undefined
  #isOver = false

  private constructor(user: string, house: House, model: SelfModel, loaded: Loaded) {
    this.user = user
    this.#house = house
    this.#joined = new Joined(model)
    this.#joins = house.aliases.joinsOf(user)
    this.#head = loaded.head
    this.#unfolded = loaded.unfolded
    this.#served = new ServedMemory(loaded.notes.get(SERVED))
    this.#queue = new WriteQueue(
      house.limits,
      batch => this.#commit(batch),
      () => this.#tidy(),
    )
    this.#views = new ViewCache(house.limits.viewAge)
    this.#episodes = new Episodes(house.schema.settings.idle, model.evidence)
    this.#lastWrites = new LastWrites(model, writtenAt(loaded), foldedTo(loaded), loaded.notes.get(WRITES))
    this.settled = new Settled(loaded.notes.get(SETTLED))
    const kept = keptShape.safeParse(loaded.layout)
    const mark = (name: string) => house.archive.mark(user, name)
    this.#led = new LedDocument(this.#joined, mark, kept.data?.layout, circumstancesOf(loaded))
    this.#growth = new Growth(house.schema, kept.data?.growth)
    for (const [i, piece] of loaded.evidence.entries())
      if ((loaded.seqs[i] ?? 0) > foldedTo(loaded)) this.#growth.add(piece)
    this.#noteShown(namesOf(this.model))
  }

  static async load(user: string, house: House): Promise<Room> {
    const loaded = await house.archive.load(user)
    if (loaded.damaged.length > 0) house.onDamage(loaded.damaged)
    return new Room(user, house, await modelOf(house.schema, oneOfEach(loaded.evidence).values()), loaded)
  }

  get head(): Head {
    return this.#head
  }

  /** All that is known of the person, under whatever name. */
  get model(): SelfModel {
    return this.#joined.all
  }

  get own(): SelfModel {
    return this.#joined.own
  }

  /** How often other names were joined or parted. */
  get joins(): number {
    return this.#joins.count
  }

  /** How many writes there were, under whatever name they were made. */
  get #written(): number {
    return this.#head.seq + this.#joined.seq
  }

  /** The same, and rising even when a name is parted. */
  get #moment(): number {
    return this.#written + this.#joins.gone
  }

  /** About what it takes in memory, of which evidence is most. */
  get bytes(): number {
    const models = this.model === this.own ? 1 : 2
    return BYTES_PER_PIECE * (1 + this.model.size) * (models + (this.#led.made ? 1 : 0))
  }

  /** The whole of what a scope may read now. */
  view(scope: Scope, task: string): ServedView {
    this.requireCurrent(scope)
    const time = this.#house.now()
    return this.#views.get(scope, task, time, () => this.#look(scope, { time, task }))
  }

  /** Of a scope, what a question asks for. */
  ask(scope: Scope, question: Omit<Question, 'time'>): ServedView {
    this.requireCurrent(scope)
    return this.#look(scope, { ...question, time: this.#house.now() })
  }

  /** Nothing is read in a scope of one schema from what was understood under another. */
  requireCurrent(scope: Scope): void {
    const { schema, authority } = this.#house
    if (this.own.schema !== schema || authority.policy.isOutdated(scope))
      throw new SelfsameError({ code: 'overloaded', message: 'The schema has just changed. Ask again.' })
  }

  #look(scope: Scope, question: Question): ServedView {
    return new ServedView(question.time, view(this.model, scope, question), this.lastReadable(scope))
  }

  /** The last write that a scope can have seen anything of. */
  lastReadable(scope: Scope): number {
    return this.#lastWrites.in(scope) + this.#joined.lastReadable(scope)
  }

  /** Notes that an agent was shown these fields as they stand. */
  serve(agent: string, fields: Patterns): void {
    this.#served.read(agent, this.#moment, fields)
  }

  /** The same evidence as a document for replicas. */
  get document(): Document {
    return this.#led.whole
  }

  /** Makes the document, and keeps it until what this returns is called. */
  keepDocument(): Promise<() => void> {
    return this.#led.keep()
  }

  follow(follower: Follower): () => void {
    return this.#led.follow(follower)
  }

  watch(watcher: Watcher): () => void {
    return this.#watchers.add(watcher)
  }

  /** Whether a write has been applied, after at most so many milliseconds. */
  async reached(seq: number, deadline: number): Promise<boolean> {
    return this.#written >= seq || this.#arrivals.wait(seq, deadline)
  }

  submit(submission: Submission): Promise<readonly ItemOutcome[]> {
    return this.#queue.submit(submission)
  }

  async #commit(submissions: readonly Submission[]): Promise<readonly (readonly ItemOutcome[])[]> {
    if (this.#isOver) throw new SelfsameError(ERASED)
    await this.#renew()
    const { policy } = this.#house.authority
    const batch = submissions.map(each => ({ ...each, session: policy.sessionNow(each.session) ?? each.session }))
    const { evidence, outcomes, head } = await this.#house.archive.commit(this.user, claimsOf(batch), (head, known) => {
      const commit = formCommit(this.#ground(), batch, head, known)
      return { ...commit, result: { evidence: commit.evidence, outcomes: commit.result, head } }
    })
    if (evidence.length > 0) this.#apply(evidence, head)
    for (const [i, submission] of batch.entries())
      noteWritten(this.#house.journal, this.user, submission, outcomes[i] ?? [])
    return outcomes
  }

  #ground(): Ground {
    const rooms = [this, ...(this.#account ? [this.#account.room] : [])]
    const memories = rooms.map(room => ({ served: room.#served, episodes: room.#episodes }))
    return groundOf(this.#house, this.user, this.model, memories)
  }

  /** From here on it is durable: it may be read, acknowledged and told. */
  #apply(evidence: readonly Evidence[], before: Head): void {
    const touched = new Set<string>()
    for (const [i, piece] of evidence.entries()) {
      noteHeard(this.#house, this.user, piece, this.model)
      this.own.add(piece)
      this.#growth.add(piece)
      for (const field of this.#lastWrites.add(this.own, piece, before.seq + i + 1)) touched.add(field)
    }
    this.#head = { epoch: before.epoch, seq: before.seq + evidence.length }
    this.#unfolded += evidence.length
    this.#take(evidence, touched)
    this.#account?.heard(evidence)
  }

  /** Told of by a name that is joined to this one. */
  #hear(evidence: readonly Evidence[]): void {
    this.#joined.hear(() => this.#take(evidence, new Set()))
  }

  #take(evidence: readonly Evidence[], touched: Set<string>): void {
    for (const piece of evidence) {
      if (this.#joined.unite(piece)) this.#led.renew()
      this.#episodes.heard(piece)
      for (const field of touchedBy(this.model, piece)) touched.add(field)
    }
    this.#views.touch(touched)
    this.#arrivals.reached(this.#written)
    this.#tell(touched)
    this.#led.lead(document => document.add(evidence, touched))
  }

  /** Reads another name's room as one with this one, from now on; `release` is called when that ends. */
  join(alias: Room, release: () => void): Promise<void> {
    return this.#queue.turn(async () => {
      if (this.#joined.has(alias.user)) return release()
      const account = {
        room: this,
        heard: (pieces: readonly Evidence[]) => this.#hear(pieces.map(piece => said(alias.user, piece))),
      }
      alias.#account = account
      this.#joined.add(alias, () => {
        if (alias.#account === account) alias.#account = undefined
        release()
      })
      await this.#remake(this.own, namesOf(alias.own))
    })
  }

  /** Ends that: what was said under the other name is read only there. */
  part(alias: Room): Promise<void> {
    return this.#queue.turn(async () => {
      if (!this.#joined.has(alias.user)) return
      this.#joined.remove(alias.user)
      await this.#remake(this.own, namesOf(alias.own))
    })
  }

  /** Understands what it holds under the schema that is in force. Writes that wait are taken under it. */
  renew(): Promise<void> {
    return this.own.schema === this.#house.schema ? Promise.resolve() : this.#queue.turn(() => this.#renew())
  }

  async #renew(): Promise<void> {
    const { schema } = this.#house
    if (this.own.schema === schema) return
    const own = await modelOf(schema, this.own.evidence)
    this.#growth = this.#growth.under(schema)
    this.#lastWrites.rename(schema)
    await this.#remake(own, new Set())
    this.#noteShown(namesOf(this.model))
  }

  /** Lets go of the rooms of other names. */
  leave(): void {
    this.#joined.clear()
  }

  /** Puts together anew what is read as one. It has the write queue's turn; what other names hear meanwhile comes after. */
  async #remake(own: SelfModel, touched: ReadonlySet<string>): Promise<void> {
    const { schema, aliases } = this.#house
    const model = await this.#joined.putTogether(own, schema)
    this.#joins = aliases.joinsOf(this.user)
    this.#episodes = new Episodes(schema.settings.idle, model.evidence)
    this.#views.clear()
    this.#tell(touched)
    this.#led.renew()
    this.#joined.goOn()
  }

  #tell(touched: ReadonlySet<string>): void {
    const now = this.#house.now()
    this.#noteShown(touched)
    const believe = (field: string, task: string) => believedOf(this.model, field, now, task)
    this.#watchers.tell(touched, now, believe, scope => this.lastReadable(scope))
  }

  #noteShown(fields: Iterable<string>): void {
    const now = this.#house.now()
    for (const field of fields) this.#served.changed(field, this.#moment, believedOf(this.model, field, now, ''))
  }

  async #tidy(): Promise<void> {
    if (this.#isOver) return
    const { writesPerFold, wordsPerFold } = this.#house.limits
    const due = this.#growth.due(wordsPerFold)
    if (due.size > 0 || this.#unfolded >= writesPerFold) await this.#fold(due).catch(this.#house.onFault)
  }

  /**
   * Puts the evidence, compacted where it is due, in the place of the log. It has the write queue's turn; reads go on
   * meanwhile. Who is short of space can't wait for what is due.
   */
  async #fold(due: ReadonlySet<string>): Promise<void> {
    const { archive, limits, now } = this.#house
    const { schema } = this.own
    const time = now()
    const isShort = this.own.size > limits.evidencePerUser * SHORT_OF_SPACE
    const fields = isShort ? new Set([...this.own.fields].map(({ name }) => name)) : due
    const kept = await folded(this.own, fields, time, this.#episodes.openAt(time), this.#isOneOfMany)
    const forgetBefore = time - 2 * schema.settings.late
    const { epoch, seq } = this.#head
    this.#unfolded = 0
    this.#growth.forget(fields)
    await archive.note(this.user, WRITES, this.#lastWrites.note())
    const isAlone = this.#joined.size === 0
    const layout = isAlone ? this.#led.layout.folded(this.own, kept) : undefined
    const own = await modelOf(schema, kept)
    const keptLayout = layout?.kept(kept)
    const kit = { layout: keptLayout ?? null, growth: this.#growth.note() }
    if (!(await archive.fold(this.user, epoch, seq, kept, forgetBefore, kit))) return
    this.#led.folded(keptLayout, epoch, seq)
    if (!layout) return this.#remake(own, new Set())
    this.#joined.alone(own)
    this.#views.clear()
    this.#led.lead(document => document.fold(own, layout))
  }

  /** Sums are exact only against what arrives late, and not against all that another name may know. */
  get #isOneOfMany(): boolean {
    return this.#joined.size > 0 || this.#house.aliases.accountOf(this.user) !== undefined
  }

  /** Settles when no write is waiting and nothing is being folded. */
  quiet(): Promise<void> {
    return this.#queue.settled()
  }

  /** Ends this room for good, in a turn of its own: writes that wait are refused, and who watches or follows is told. */
  async end(work: () => Promise<void>): Promise<void> {
    await this.#queue.turn(async () => {
      this.#isOver = true
      await work()
    })
    this.#views.clear()
    this.#watchers.end(ERASED)
    this.#led.renew()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Settles when no write is waiting, and what only memory held is written down. */
  async settle(): Promise<void> {
    await this.quiet()
    if (this.#isOver) return
    if (this.#served.isDirty && this.#head.seq > 0)
      await this.#house.archive.note(this.user, SERVED, this.#served.note())
    if (this.settled.isDirty) await this.#house.archive.note(this.user, SETTLED, this.settled.note())
  }
}

const ERASED = { code: 'erased', message: 'The user was erased.' } as const
