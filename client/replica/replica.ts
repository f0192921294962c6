import { applyUpdate, Doc, encodeStateAsUpdate, type YMapEvent } from 'yjs'
import type { SelfsameError } from '../../model/error.ts'
import type { Evidence } from '../../model/evidence.ts'
import type { Definition } from '../../model/infer.ts'
import type { ItemOutcome } from '../../model/wire/frame.ts'
import type { SchemaSeen } from '../../model/wire/schema-seen.ts'
import type { Clock } from '../clock.ts'
import type { BeliefOf, ByField, Circumstances, FieldName, Listed, Sayable } from '../fields.ts'
import { type Outcome, outcomesOf } from '../outcome.ts'
import { refusal } from '../refusal.ts'
import { itemsOf, type Spoken, spoken } from '../said.ts'
import type { Keep } from './keep.ts'
import { Link, type LinkOptions } from './link.ts'
import { LocalModel } from './local-model.ts'

const MAX_WAITING = 10_000
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

interface Waiting {
  readonly resolve: (outcome: ItemOutcome) => void
  readonly reject: (error: Error) => void
}

/** What a replica works with. */
export interface Surroundings extends LinkOptions, ReplicaOptions {
  readonly agent: string
  readonly isPerson: () => boolean
  readonly schema: () => SchemaSeen
  readonly clock: Clock
}

/**
 * A live copy of what this agent may read of a user. Reads need no network; writes go into an outbox that travels when
 * there is one, and count here at once, marked as pending.
 */
export class Replica<D extends Definition = Definition> {
  readonly user: string
  readonly #around: Surroundings
  readonly #link: Link
  readonly #waiting = new Map<string, Waiting>()
  readonly #listeners = new Set<(fields: readonly FieldName<D>[]) => void>()
  #doc = new Doc()
  #model: LocalModel
  #state: ReplicaState = { name: 'connecting' }
  #arrived: (() => void)[] = []
  #saving: ReturnType<typeof setTimeout> | undefined

  private constructor(around: Surroundings) {
    this.user = around.user
    this.#around = around
    this.#model = new LocalModel(around.agent, around.schema())
    this.#link = new Link(around, {
      synced: () => this.#enter({ name: 'live' }),
      lost: () => this.#lost(),
      afresh: () => this.#afresh(),
      ended: error => this.#end(error),
    })
  }

  /** Resolves when it is in step with the server, or at once with what was kept. */
  static async open<D extends Definition>(around: Surroundings, timeout: number): Promise<Replica<D>> {
    const kept = await around.keep?.load()
    if (kept && (kept.agent !== around.agent || kept.user !== around.user))
      throw refusal('bad_request', `This is a replica of ${kept.user} by ${kept.agent}. Give each its own place.`)
    const replica = new Replica<D>(around)
    replica.#take(new Doc(), kept?.document)
    if (!kept) await replica.#synced(timeout)
    return replica
  }

  get state(): ReplicaState {
    return this.#state
  }

  /** How many own words wait for their outcome. */
  get waiting(): number {
    return this.#outbox.size
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
    this.#link.end()
    await this.#save()
    // Presence keeps a timer for as long as there is a document.
    this.#doc.destroy()
  }

  get #outbox() {
    return this.#doc.getMap<Spoken>('outbox')
  }

  get #evidence() {
    return this.#doc.getMap<Evidence>('evidence')
  }

  async #settle(items: Parameters<typeof spoken>[0], circumstances: Circumstances): Promise<readonly Outcome[]> {
    const common = this.#around.isPerson() ? { ...CORRECTION, ...circumstances } : circumstances
    return this.#write(spoken(items, common, this.#around.clock.now()))
  }

  async #write(words: readonly Spoken[]): Promise<readonly Outcome[]> {
    if (this.#state.name === 'ended') throw this.#state.error
    if (this.#outbox.size + words.length > MAX_WAITING)
      throw refusal('overloaded', `${MAX_WAITING} words wait for their outcome already.`)
    const settled = words.map(word => this.#expect(word.id))
    this.#doc.transact(() => {
      for (const word of words) this.#outbox.set(word.id, word)
    })
    await this.#save()
    return outcomesOf(words, await Promise.all(settled))
  }

  #expect(id: string): Promise<ItemOutcome> {
    const settled = new Promise<ItemOutcome>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    // Whoever called waits for all of them; that one is rejected before the others are waited for is no fault.
    settled.catch(() => undefined)
    return settled
  }

  /** Begins with a document, which may have been kept; what waited in an earlier one goes on waiting in it. */
  #take(doc: Doc, kept?: Uint8Array): void {
    const left = [...this.#outbox.entries()]
    this.#doc.destroy()
    this.#doc = doc
    if (kept) applyUpdate(doc, kept)
    doc.transact(() => {
      for (const [key, word] of left) this.#outbox.set(key, word)
    })
    this.#model = new LocalModel(this.#around.agent, this.#around.schema())
    this.#model.reset(this.#evidence.values())
    this.#await()
    this.#evidence.observe(event => this.#changed(event))
    this.#outbox.observe(event => this.#spoke(event))
    doc.getMap<Omit<ItemOutcome, 'id'>>('receipts').observe(event => this.#receipted(event))
    this.#link.begin(doc)
  }

  #afresh(): void {
    this.#take(new Doc())
    this.#tell(this.fields())
  }

  #changed({ changes, target }: YMapEvent<Evidence>): void {
    const gone = [...changes.keys.values()].filter(({ action }) => action !== 'add').map(({ oldValue }) => oldValue)
    const added = [...changes.keys.keys()].flatMap(key => target.get(key) ?? [])
    if (gone.length > 0) this.#model.reset(target.values())
    else this.#model.add(added)
    this.#await()
    this.#tell([...this.#model.fieldsOf([...gone, ...added])])
    this.#saveSoon()
  }

  #spoke({ changes, target }: YMapEvent<Spoken>): void {
    this.#await()
    const words = [...changes.keys].flatMap(([key, { oldValue }]) => target.get(key) ?? oldValue ?? [])
    this.#tell([...new Set(words.map(({ field }) => field))])
    this.#saveSoon()
  }

  #receipted({ changes, target }: YMapEvent<Omit<ItemOutcome, 'id'>>): void {
    for (const [id, { action }] of changes.keys) {
      const outcome = action === 'add' ? target.get(id) : undefined
      if (!outcome) continue
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (waiting) waiting.resolve({ id, ...outcome })
      else this.#around.onSettled?.({ id, ...outcome, field: undefined })
    }
  }

  #await(): void {
    const pending = [...this.#outbox.entries()].map(([key, observation]) => ({ key, observation }))
    this.#model.await(pending, this.#around.clock.now())
  }

  #tell(fields: readonly string[]): void {
    if (fields.length > 0) for (const listener of this.#listeners) listener(fields as FieldName<D>[])
  }

  #enter(state: ReplicaState): void {
    this.#state = state
    for (const resolve of this.#arrived.splice(0)) resolve()
  }

  #lost(): void {
    if (this.#state.name === 'live') this.#state = { name: 'offline' }
  }

  #end(error: SelfsameError): void {
    this.#enter({ name: 'ended', error })
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  async #synced(timeout: number): Promise<void> {
    const late = refusal('timed_out', `No replica of ${this.user} within ${timeout} ms.`)
    await new Promise<void>(resolve => {
      const timer = setTimeout(() => {
        this.#end(late)
      }, timeout)
      this.#arrived.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    if (this.#state.name !== 'ended') return
    this.#link.end()
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
    await keep?.save({ agent, user, document: encodeStateAsUpdate(this.#doc) })
  }
}
