import type { SelfsameError } from '../../model/error.ts'
import type { Evidence } from '../../model/evidence.ts'
import type { Definition } from '../../model/infer.ts'
import type { EvidenceFrame, ReplicaAnswer } from '../../model/wire/frame.ts'
import type { SchemaSeen } from '../../model/wire/schema-seen.ts'
import type { Clock } from '../clock.ts'
import type { BeliefOf, ByField, Circumstances, FieldName, Listed, Sayable } from '../fields.ts'
import { bodyOf } from '../frame.ts'
import { type Outcome, outcomesOf } from '../outcome.ts'
import { refusal } from '../refusal.ts'
import { itemsOf, type Spoken, spoken } from '../said.ts'
import type { Told, Watched } from '../watched.ts'
import type { Watches } from '../watches.ts'
import type { Keep, Kept } from './keep.ts'
import { documentOf, holdingIn } from './kept-document.ts'
import { LocalModel } from './local-model.ts'
import { Postbox, type PostboxOptions } from './postbox.ts'

const SAVE_AFTER = 1_000
const CORRECTION = { basis: 'heard', confidence: 0.95 } as const

export interface ReplicaOptions {
  /** Where the replica outlives the program: `fileReplica(path)` in Node, `browserReplica(name)` in a page. */
  readonly keep?: Keep
  /** Told of words nobody waits for any more: those that an earlier run of the program left in the outbox. */
  readonly onSettled?: (outcome: Outcome) => void
}

/**
 * - `connecting`: it has not been in step with the server yet;
 * - `live`: it is told of every change;
 * - `offline`: it was in step, and will be again; reads and writes go on;
 * - `ended`: for good, with the reason.
 */
export type ReplicaState =
  | { readonly name: 'connecting' | 'live' | 'offline' }
  | { readonly name: 'ended'; readonly error: SelfsameError }

export type ReplicaBelief<D extends Definition, Name extends FieldName<D>> = BeliefOf<D, Name> & {
  /** Own words that have no outcome yet take part in it. */
  readonly pending: boolean
}

/** What a replica works with. */
export interface Surroundings extends ReplicaOptions, Omit<PostboxOptions, 'settled'> {
  readonly agent: string
  readonly isPerson: () => boolean
  readonly schema: () => SchemaSeen
  readonly clock: Clock
  readonly watches: Watches
}

/**
 * A live copy of what this agent may read of a user. Reads need no network; writes go into an outbox that travels when
 * there is one, and count here at once, marked as pending.
 */
export class Replica<D extends Definition = Definition> {
  readonly user: string
  readonly #around: Surroundings
  readonly #watched: Watched
  readonly #postbox: Postbox
  readonly #listeners = new Set<(fields: readonly FieldName<D>[]) => void>()
  /** What stands under a key never changes; only the server puts and takes away. */
  #evidence = new Map<string, Evidence>()
  #model: LocalModel
  #state: ReplicaState = { name: 'connecting' }
  #arrived: (() => void)[] = []
  #saving: ReturnType<typeof setTimeout> | undefined

  private constructor(around: Surroundings, kept: Kept | undefined) {
    this.user = around.user
    this.#around = around
    this.#postbox = new Postbox({
      ...around,
      settled: (word, outcome, isAwaited) => this.#settled(word, { ...outcome, field: word.field }, isAwaited),
    })
    if (kept) {
      const { evidence, outbox } = holdingIn(kept.document)
      this.#evidence = new Map(evidence)
      this.#postbox.recover(outbox)
    }
    this.#model = this.#newModel()
    this.#watched = {
      body: bodyOf({ op: 'replicate', user: around.user }),
      state: answer => this.#took(answer as ReplicaAnswer),
      changed: frame => this.#changed(frame),
      lost: () => this.#lost(),
      failed: error => this.#end(error),
      closed: error => this.#end(error),
    }
  }

  /** Resolves when it is in step with the server, or at once with what was kept. */
  static async open<D extends Definition>(around: Surroundings, timeout: number): Promise<Replica<D>> {
    const kept = await around.keep?.load()
    if (kept && (kept.agent !== around.agent || kept.user !== around.user))
      throw refusal('bad_request', `This is a replica of ${kept.user} by ${kept.agent}. Give each its own place.`)
    const replica = new Replica<D>(around, kept)
    around.watches.add(replica.#watched)
    if (!kept) await replica.#synced(timeout)
    return replica
  }

  get state(): ReplicaState {
    return this.#state
  }

  /** How many own words wait for their outcome. */
  get waiting(): number {
    return this.#postbox.size
  }

  /** Undefined when nothing is known, or nothing that this agent may read. */
  get<Name extends FieldName<D>>(
    field: Name,
    { task }: { readonly task?: string } = {},
  ): ReplicaBelief<D, Name> | undefined {
    // As with a read from the server: what it sent fits the fields of its schema.
    return this.#model.belief(field, this.#around.clock.now(), task) as ReplicaBelief<D, Name> | undefined
  }

  fields(): FieldName<D>[] {
    return this.#model.fields() as FieldName<D>[]
  }

  *entries(question: { readonly task?: string } = {}): Generator<[FieldName<D>, ReplicaBelief<D, FieldName<D>>]> {
    for (const field of this.fields()) {
      const belief = this.get(field, question)
      if (belief) yield [field, belief]
    }
  }

  /** Tells which fields have changed, after each change. Returns what stops it. */
  onChange(listener: (fields: readonly FieldName<D>[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when everything said has its outcome, however long the network is away; rejects when anything is refused. */
  observe(said: ByField<D> | readonly Listed<D>[], common: Circumstances = {}): Promise<readonly Outcome[]> {
    return this.#write(spoken(itemsOf(said), common, this.#around.clock.now()))
  }

  /** A person's word: it sets aside what disagreed. */
  correct<Name extends FieldName<D>>(
    field: Name,
    value: Sayable<D, Name>,
    circumstances: Circumstances = {},
  ): Promise<readonly Outcome[]> {
    return this.#settle([{ field, value }], circumstances)
  }

  /** It is not so, whatever else may be. */
  deny<Name extends FieldName<D>>(
    field: Name,
    value: Sayable<D, Name>,
    circumstances: Circumstances = {},
  ): Promise<readonly Outcome[]> {
    return this.#settle([{ field, value, not: true }], circumstances)
  }

  /** What waits stays in the place it is kept in, if there is one; whoever waits for it hears that this is over. */
  async close(): Promise<void> {
    if (this.#state.name !== 'ended') this.#end(refusal('disconnected', 'The replica was closed.'))
    this.#around.watches.remove(this.#watched)
    await this.#save()
  }

  async #settle(items: Parameters<typeof spoken>[0], circumstances: Circumstances): Promise<readonly Outcome[]> {
    const common = this.#around.isPerson() ? { ...CORRECTION, ...circumstances } : circumstances
    return this.#write(spoken(items, common, this.#around.clock.now()))
  }

  /** Nothing is sent before it is kept, where there is a place for it. */
  async #write(words: readonly Spoken[]): Promise<readonly Outcome[]> {
    if (this.#state.name === 'ended') throw this.#state.error
    const settled = this.#postbox.post(words)
    this.#spoke(words)
    if (this.#around.keep) await this.#save()
    this.#postbox.send()
    return outcomesOf(words, await Promise.all(settled))
  }

  #spoke(words: readonly Spoken[]): void {
    this.#await()
    this.#tell(new Set(words.map(({ field }) => field)))
  }

  /** The evidence of an admitted word came before its outcome, so it never counts as neither. */
  #settled(word: Spoken, outcome: Outcome, isAwaited: boolean): void {
    this.#spoke([word])
    this.#saveSoon()
    if (!isAwaited) this.#around.onSettled?.(outcome)
  }

  /** The whole as it stands now: at the begin, after every gap, and when this agent may read more or less than before. */
  #took({ evidence }: ReplicaAnswer): void {
    const before = this.#evidence
    this.#evidence = new Map(Object.entries(evidence))
    this.#model = this.#newModel()
    if (this.#listeners.size > 0) this.#tell(this.#model.fieldsOf(differing(before, this.#evidence)))
    if (this.#around.keep) this.#saveSoon()
    this.#enter({ name: 'live' })
    this.#postbox.up()
  }

  #changed(told: Told): void {
    const frame = told as EvidenceFrame
    const gone = frame.gone.flatMap(key => this.#evidence.get(key) ?? [])
    for (const key of frame.gone) this.#evidence.delete(key)
    for (const [key, piece] of Object.entries(frame.put)) this.#evidence.set(key, piece)
    const put = Object.values(frame.put)
    if (gone.length > 0) this.#model.reset(this.#evidence.values())
    else this.#model.add(put)
    this.#await()
    this.#tell(this.#model.fieldsOf([...gone, ...put]))
    this.#saveSoon()
  }

  #newModel(): LocalModel {
    const model = new LocalModel(this.#around.agent, this.#around.schema())
    model.reset(this.#evidence.values())
    model.await(this.#postbox.words, this.#around.clock.now())
    return model
  }

  #await(): void {
    this.#model.await(this.#postbox.words, this.#around.clock.now())
  }

  #tell(fields: ReadonlySet<string>): void {
    if (fields.size > 0) for (const listener of this.#listeners) listener([...fields] as FieldName<D>[])
  }

  #enter(state: ReplicaState): void {
    this.#state = state
    for (const resolve of this.#arrived.splice(0)) resolve()
  }

  #lost(): void {
    this.#postbox.down()
    if (this.#state.name === 'live') this.#state = { name: 'offline' }
  }

  #end(error: SelfsameError): void {
    this.#enter({ name: 'ended', error })
    clearTimeout(this.#saving)
    this.#postbox.end(error)
  }

  async #synced(timeout: number): Promise<void> {
    await new Promise<void>(resolve => {
      const timer = setTimeout(
        () => this.#end(refusal('timed_out', `No replica of ${this.user} within ${timeout} ms.`)),
        timeout,
      )
      this.#arrived.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    if (this.#state.name !== 'ended') return
    this.#around.watches.remove(this.#watched)
    throw this.#state.error
  }

  #saveSoon(): void {
    if (this.#around.keep && this.#state.name !== 'ended')
      this.#saving ??= setTimeout(() => {
        this.#save().catch((error: unknown) => this.#end(refusal('internal', `The replica can't be kept: ${error}`)))
      }, SAVE_AFTER)
  }

  async #save(): Promise<void> {
    clearTimeout(this.#saving)
    this.#saving = undefined
    const { keep, agent, user } = this.#around
    await keep?.save({ agent, user, document: documentOf({ evidence: this.#evidence, outbox: this.#postbox.words }) })
  }
}

const differing = (before: ReadonlyMap<string, Evidence>, now: ReadonlyMap<string, Evidence>): Evidence[] => [
  ...[...before].flatMap(([key, piece]) => (now.has(key) ? [] : [piece])),
  ...[...now].flatMap(([key, piece]) => (before.has(key) ? [] : [piece])),
]
