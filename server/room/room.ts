import { z } from 'zod'
import { type Belief, believe } from '../../model/belief.ts'
import type { Evidence } from '../../model/evidence.ts'
import type { Patterns } from '../../model/pattern.ts'
import type { Schema } from '../../model/schema.ts'
import type { Scope } from '../../model/scope.ts'
import { SelfModel } from '../../model/self-model.ts'
import { type Question, view } from '../../model/view.ts'
import type { ItemOutcome } from '../../model/wire/frame.ts'
import type { Authority, Under } from '../access/authority.ts'
import type { Session } from '../access/session.ts'
import type { Limits } from '../limits.ts'
import { type Heard, heardIn } from '../quality/repeat.ts'
import { Document, type DocumentChange } from '../replica/document.ts'
import { type Circumstances, Layout } from '../replica/layout.ts'
import { Presence } from '../replica/presence.ts'
import { Settled } from '../replica/settled.ts'
import type { Archive, Loaded } from '../store/archive.ts'
import type { Head } from '../store/storage.ts'
import { claimsOf, formCommit, type Submission } from './commit.ts'
import { Episodes } from './episode.ts'
import { folded } from './folding.ts'
import { Growth } from './growth.ts'
import { LastWrites } from './last-writes.ts'
import { oneOfEach } from './one-of-each.ts'
import { ServedMemory } from './served.ts'
import { inSlices } from './slice.ts'
import { ServedView, ViewCache } from './view-cache.ts'
import { WriteQueue } from './write-queue.ts'

/** What a room needs of the house it is in. */
export interface House {
  readonly schema: Schema
  readonly archive: Archive
  readonly limits: Limits
  readonly now: () => number
  readonly authority: Authority
  /** Records that could not be read; the rest is served. */
  readonly onDamage: (damage: Loaded['damaged']) => void
  /** Something failed that nobody waits for. */
  readonly onFault: (error: unknown) => void
  /** A holder has heard something of the user that is about to join what is known. */
  readonly onHeard?: (heard: Heard, at: number) => void
}

/** Someone who is told when what they may read of a user changes. */
export interface Watcher {
  readonly scope: Scope
  readonly fields: Patterns
  readonly task: string
  changed(change: Change): void
}

/** A replica, told of every change of the document. */
export interface Follower {
  changed(change: DocumentChange): void
}

export interface Change {
  readonly asOf: number
  readonly seq: number
  readonly beliefs: ReadonlyMap<string, Belief | undefined>
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
  readonly #episodes: Episodes
  readonly #lastWrites: LastWrites
  readonly #growth: Growth
  readonly #watchers = new Set<Watcher>()
  readonly #followers = new Set<Follower>()
  readonly #awaited = new Set<{ readonly seq: number; readonly resolve: () => void }>()
  #model: SelfModel
  #head: Head
  #unfolded: number
  /** Made when the first replica asks for it. Once the last has gone, the next write leaves it to be made anew. */
  #document: Document | undefined
  #making: Promise<void> | undefined
  #keepers = 0
  #keptLayout: unknown
  #circumstances: Circumstances

  private constructor(user: string, house: House, model: SelfModel, loaded: Loaded) {
    this.user = user
    this.#house = house
    this.#model = model
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
    this.#keptLayout = kept.data?.layout
    this.#growth = new Growth(house.schema, kept.data?.growth)
    for (const [i, piece] of loaded.evidence.entries())
      if ((loaded.seqs[i] ?? 0) > foldedTo(loaded)) this.#growth.add(piece)
    this.#circumstances = circumstancesOf(loaded)
    for (const { name } of model.fields) this.#noteShown(name, house.now())
  }

  static async load(user: string, house: House): Promise<Room> {
    const loaded = await house.archive.load(user)
    if (loaded.damaged.length > 0) house.onDamage(loaded.damaged)
    return new Room(user, house, await modelOf(house.schema, oneOfEach(loaded.evidence).values()), loaded)
  }

  get head(): Head {
    return this.#head
  }

  get model(): SelfModel {
    return this.#model
  }

  /** About what it takes in memory, of which evidence is most. */
  get bytes(): number {
    return BYTES_PER_PIECE * (1 + this.#model.size) * (this.#document ? 2 : 1)
  }

  /** The whole of what a scope may read now. */
  view(scope: Scope, task: string): ServedView {
    const time = this.#house.now()
    return this.#views.get(scope, task, time, () => this.#look(scope, { time, task }))
  }

  /** Of a scope, what a question asks for. */
  ask(scope: Scope, question: Omit<Question, 'time'>): ServedView {
    return this.#look(scope, { ...question, time: this.#house.now() })
  }

  #look(scope: Scope, question: Question): ServedView {
    return new ServedView(question.time, view(this.#model, scope, question), this.lastReadable(scope))
  }

  /** The last write that a scope can have seen anything of. */
  lastReadable(scope: Scope): number {
    return this.#lastWrites.in(scope)
  }

  /** Notes that an agent was shown these fields as they stand. */
  serve(agent: string, fields: Patterns): void {
    this.#served.read(agent, this.#head.seq, fields)
  }

  /** The same evidence as a document for replicas. */
  get document(): Document {
    this.#document ??= Document.filled(this.#newDocument())
    return this.#document
  }

  /** Makes the document, in slices as it may be long, and keeps it until what this returns is called. */
  async keepDocument(): Promise<() => void> {
    this.#keepers++
    const letGo = () => {
      this.#keepers--
    }
    try {
      if (!this.#document) this.#making = this.#makeDocument()
      await this.#making
      return letGo
    } catch (error) {
      letGo()
      throw error
    }
  }

  async #makeDocument(): Promise<void> {
    this.#document = this.#newDocument()
    try {
      await inSlices(this.#document.fill(), () => undefined)
    } catch (error) {
      this.#document = undefined
      throw error
    }
  }

  #newDocument(): Document {
    return new Document(this.#model, this.#layout(), name => this.#house.archive.mark(this.user, name))
  }

  #layout(): Layout {
    return this.#document?.layout ?? Layout.of(this.#model, this.#keptLayout, this.#circumstances)
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Whether a write has been applied, after at most so many milliseconds. */
  async reached(seq: number, deadline: number): Promise<boolean> {
    if (this.#head.seq >= seq) return true
    return new Promise(resolve => {
      const awaited = { seq, resolve: () => done(true) }
      const timer = setTimeout(() => done(false), deadline)
      const done = (reached: boolean) => {
        clearTimeout(timer)
        this.#awaited.delete(awaited)
        resolve(reached)
      }
      this.#awaited.add(awaited)
    })
  }

  submit(submission: Submission): Promise<readonly ItemOutcome[]> {
    return this.#queue.submit(submission)
  }

  async #commit(batch: readonly Submission[]): Promise<readonly (readonly ItemOutcome[])[]> {
    const { evidence, outcomes, head } = await this.#house.archive.commit(this.user, claimsOf(batch), (head, known) => {
      const commit = formCommit(this.#ground(), batch, head, known)
      return { ...commit, result: { evidence: commit.evidence, outcomes: commit.result, head } }
    })
    if (evidence.length > 0) this.#apply(evidence, head)
    return outcomes
  }

  #ground() {
    const { schema, limits, archive, authority, now } = this.#house
    const tally = (agent: string) => archive.tally(agent)
    const scope = (session: Session, under: Under | undefined) => authority.scope(session, this.user, under)
    return {
      schema,
      limits,
      tally,
      scope,
      model: this.#model,
      episodes: this.#episodes,
      served: this.#served,
      now: now(),
    }
  }

  /** From here on it is durable: it may be read, acknowledged and told. */
  #apply(evidence: readonly Evidence[], before: Head): void {
    const touched = new Set<string>()
    for (const [i, piece] of evidence.entries()) {
      this.#noteHeard(piece)
      this.#model.add(piece)
      this.#episodes.heard(piece)
      this.#growth.add(piece)
      for (const field of this.#lastWrites.add(this.#model, piece, before.seq + i + 1)) touched.add(field)
    }
    this.#head = { epoch: before.epoch, seq: before.seq + evidence.length }
    this.#unfolded += evidence.length
    this.#views.touch(touched)
    for (const awaited of this.#awaited) if (awaited.seq <= this.#head.seq) awaited.resolve()
    this.#tell(touched)
    this.#lead(document => document.add(evidence, touched))
  }

  #noteHeard(piece: Evidence): void {
    const { authority, onHeard, now } = this.#house
    const heard = onHeard && heardIn(authority, this.user, piece, this.#model, now())
    if (heard) onHeard(heard, now())
  }

  #lead(change: (document: Document) => DocumentChange): void {
    if (this.#keepers === 0 && this.#followers.size === 0) this.#document = undefined
    if (!this.#document) return
    const changed = change(this.#document)
    for (const follower of this.#followers) follower.changed(changed)
  }

  #tell(touched: ReadonlySet<string>): void {
    const now = this.#house.now()
    for (const field of touched) this.#noteShown(field, now)
    for (const watcher of this.#watchers) {
      const seen = [...touched].filter(field => watcher.scope.read.has(field) && watcher.fields.has(field))
      if (seen.length === 0) continue
      const beliefs = new Map(seen.map(field => [field, this.#believe(field, now, watcher.task)]))
      watcher.changed({ asOf: now, seq: this.lastReadable(watcher.scope), beliefs })
    }
  }

  #noteShown(field: string, now: number): void {
    this.#served.changed(field, this.#head.seq, this.#believe(field, now, ''))
  }

  #believe(field: string, now: number, task: string): Belief | undefined {
    const evidence = this.#model.field(field)
    return evidence && believe(evidence, now, task)
  }

  async #tidy(): Promise<void> {
    const { writesPerFold, wordsPerFold } = this.#house.limits
    const due = this.#growth.due(wordsPerFold)
    if (due.size > 0 || this.#unfolded >= writesPerFold) await this.#fold(due).catch(this.#house.onFault)
  }

  /**
   * Puts the evidence, compacted where it is due, in the place of the log. It has the write queue's turn; reads go on
   * meanwhile. Who is short of space can't wait for what is due.
   */
  async #fold(due: ReadonlySet<string>): Promise<void> {
    const { archive, schema, limits, now } = this.#house
    const time = now()
    const isShort = this.#model.size > limits.evidencePerUser * SHORT_OF_SPACE
    const fields = isShort ? new Set([...this.#model.fields].map(({ name }) => name)) : due
    const kept = await folded(this.#model, fields, time, this.#episodes.openAt(time))
    const forgetBefore = time - 2 * schema.settings.late
    const { epoch, seq } = this.#head
    this.#unfolded = 0
    this.#growth.forget(fields)
    await archive.note(this.user, WRITES, this.#lastWrites.note())
    const layout = this.#layout().folded(this.#model, kept)
    const model = await modelOf(schema, kept)
    const keptLayout = layout.kept(kept)
    const kit = { layout: keptLayout, growth: this.#growth.note() }
    if (!(await archive.fold(this.user, epoch, seq, kept, forgetBefore, kit))) return
    this.#keptLayout = keptLayout
    this.#circumstances = { epoch, foldedTo: seq, damaged: [], imported: [] }
    this.#model = model
    this.#views.clear()
    this.#lead(document => document.fold(model, layout))
  }

  /** Settles when no write is waiting and nothing is being folded. */
  quiet(): Promise<void> {
    return this.#queue.settled()
  }

  /** Settles when no write is waiting, and what only memory held is written down. */
  async settle(): Promise<void> {
    await this.quiet()
    if (this.#served.isDirty && this.#head.seq > 0)
      await this.#house.archive.note(this.user, SERVED, this.#served.note())
    if (this.settled.isDirty) await this.#house.archive.note(this.user, SETTLED, this.settled.note())
  }
}

const foldedTo = ({ head, unfolded }: Loaded): number => head.seq - unfolded

const writtenAt = ({ evidence, seqs }: Loaded): Map<string, number> =>
  new Map(evidence.map(({ id }, index) => [id, seqs[index] ?? 0]))

/** Only an import writes what was folded to the log, or an id that stands there already. */
function circumstancesOf(loaded: Loaded): Circumstances {
  const { evidence, seqs, head, damaged } = loaded
  const known = new Set<string>()
  const imported: string[] = []
  for (const [index, { id, type }] of evidence.entries()) {
    const isFold = (type === 'pack' || type === 'sum') && (seqs[index] ?? 0) > foldedTo(loaded)
    if (isFold || known.has(id)) imported.push(id)
    known.add(id)
  }
  return { epoch: head.epoch, foldedTo: foldedTo(loaded), damaged: damaged.filter(each => !('note' in each)), imported }
}

async function modelOf(schema: Schema, evidence: Iterable<Evidence>): Promise<SelfModel> {
  const model = new SelfModel(schema)
  await inSlices(evidence, piece => {
    model.add(piece)
  })
  return model
}
