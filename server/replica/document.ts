import type { Evidence, Pack, Retraction, Sum, Word } from '../../model/evidence.ts'
import { reaches, recallOf } from '../../model/retraction.ts'
import type { Scope } from '../../model/scope.ts'
import type { SelfModel } from '../../model/self-model.ts'
import { spent } from '../../model/spent.ts'
import { fieldAuthor, isClient, isReceipts } from './author.ts'
import { byAuthor, type Deletions, rangesOf, type Structs, updateOf } from './encoding.ts'
import { FieldDocument } from './field-document.ts'
import type { Layout } from './layout.ts'

/** 64 bits of the user's own for a name. */
export type Mark = (name: string) => bigint

const CLOCKS_PER_STEP = 512

/** Evidence by key as a JSON object, and the names of the fields it speaks of. */
export interface Whole {
  readonly text: string
  readonly names: readonly string[]
}

/** What one field gained and lost. */
interface FieldChange {
  readonly structs: Structs
  readonly deletions: Deletions
  /** What came, as members of a JSON object, and the keys of what went. */
  readonly text: string
  readonly gone: readonly string[]
}

/**
 * A user's evidence as a Yjs document in which every field is written by an author of its own. A reader is sent the
 * structs, deletions and clocks of the authors it may read, and nothing that tells of others. Only this class writes it,
 * from evidence that is durable.
 */
export class Document {
  readonly #mark: Mark
  readonly #fields = new Map<string, FieldDocument>()
  readonly #names = new Map<number, string>()
  #model: SelfModel
  #layout: Layout
  #states = new WeakMap<Scope, Uint8Array>()
  #texts = new WeakMap<Scope, Whole>()

  constructor(model: SelfModel, layout: Layout, mark: Mark) {
    this.#model = model
    this.#layout = layout
    this.#mark = mark
  }

  /** Says of every field what the layout and the model say, some clocks at a step. Until it is through, it tells too little. */
  *fill(): Iterable<void> {
    for (const name of this.#layout.fields.keys())
      for (let isBehind = true; isBehind; yield) {
        this.#renew(name, CLOCKS_PER_STEP)
        isBehind = (this.#fields.get(name)?.next ?? 0) < (this.#layout.fields.get(name)?.next ?? 0)
      }
  }

  get layout(): Layout {
    return this.#layout
  }

  /** Takes in evidence that the model holds by now. */
  add(evidence: readonly Evidence[], touched: Iterable<string>): DocumentChange {
    const fields = new Set(touched)
    for (const piece of evidence) for (const { field } of this.#layout.add(this.#model, piece)) fields.add(field)
    return this.#change(fields)
  }

  /** Goes on with what compaction left, which believes the same. */
  fold(model: SelfModel, layout: Layout): DocumentChange {
    this.#model = model
    this.#layout = layout
    return this.#change(layout.fields.keys())
  }

  /**
   * All that a replica lacks of what a scope may read. Undefined when it holds what the scope may not read, or what is no
   * part of this document: it must start afresh.
   */
  state(scope: Scope, has: ReadonlyMap<number, number>): Uint8Array | undefined {
    for (const [author, clock] of has) if (!this.#mayHold(scope, author, clock)) return undefined
    if (has.size === 0) return this.#whole(scope)
    return written([...this.readable(scope)].map(field => field.since(has.get(field.author) ?? 0)))
  }

  /** What everyone is sent who begins with nothing. */
  #whole(scope: Scope): Uint8Array {
    const known = this.#states.get(scope)
    if (known) return known
    const whole = written([...this.readable(scope)].map(field => field.since(0)))
    this.#states.set(scope, whole)
    return whole
  }

  /**
   * All that a scope may read, for the SDK. Authors are in order, as in an update of Yjs: the order in which fields came to
   * be known here may depend on what was written of others.
   */
  whole(scope: Scope): Whole {
    const known = this.#texts.get(scope)
    if (known) return known
    const fields = [...this.readable(scope)].sort(byAuthor)
    const whole = { text: `{${joined(fields.map(field => field.text()))}}`, names: this.namesIn(scope) }
    this.#texts.set(scope, whole)
    return whole
  }

  /** All that a scope may read which another may not. */
  widening(from: Scope, to: Scope): Uint8Array {
    const known = new Set(this.readable(from))
    return written([...this.readable(to)].filter(field => !known.has(field)).map(field => field.since(0)))
  }

  namesIn(scope: Scope): string[] {
    return [...this.#fields.keys()].filter(name => scope.read.has(name))
  }

  *readable(scope: Scope): Iterable<FieldDocument> {
    for (const [name, field] of this.#fields) if (scope.read.has(name)) yield field
  }

  #mayHold(scope: Scope, author: number, clock: number): boolean {
    if (isClient(author) || isReceipts(author)) return true
    const name = this.#names.get(author)
    return name !== undefined && scope.read.has(name) && clock <= (this.#fields.get(name)?.next ?? 0)
  }

  #change(names: Iterable<string>): DocumentChange {
    const changes = new Map<string, FieldChange>()
    for (const name of names) {
      const change = this.#renew(name)
      if (change) changes.set(name, change)
    }
    if (changes.size > 0) {
      this.#states = new WeakMap()
      this.#texts = new WeakMap()
    }
    return new DocumentChange(changes)
  }

  /** Makes the document say of a field what the layout and the model say now. */
  #renew(name: string, atMost = Number.POSITIVE_INFINITY): FieldChange | undefined {
    const layout = this.#layout.fields.get(name)
    if (!layout) return undefined
    const field = this.#fields.get(name) ?? this.#begin(name)
    const before = field.next
    const next = Math.min(layout.next, before + atMost)
    const evidence = this.#model.field(name)
    const gone = evidence ? spent(evidence) : NONE
    const stands = new Map([...layout.clocks].filter(([id]) => !gone.has(id)).map(([id, clock]) => [clock, id]))
    const removed = [...field.clocks].filter(clock => !stands.has(clock))
    for (const clock of removed) field.remove(clock)
    for (const [clock, id] of stands) if (clock >= before && clock < next) field.put(clock, this.#shown(name, id))
    field.extend(next)
    if (removed.length === 0 && field.next === before) return undefined
    return changeOf(field, before, removed)
  }

  #begin(name: string): FieldDocument {
    const field = new FieldDocument(this.#authorOf(name))
    this.#fields.set(name, field)
    this.#names.set(field.author, name)
    return field
  }

  #authorOf(name: string): number {
    for (let attempt = 0; ; attempt++) {
      const author = fieldAuthor(this.#mark(`author\n${this.#layout.generation}\n${attempt}\n${name}`))
      if (!this.#names.has(author)) return author
    }
  }

  /** Evidence as it stands, but for what it would tell of other fields. */
  #shown(name: string, id: string): Evidence {
    const piece = this.#model.get(id)
    if (!piece) throw new Error(`The layout names evidence that is not there: ${id}`)
    const shown =
      piece.type === 'retraction'
        ? within(this.#namesOf(name), piece)
        : inEpisodes(piece, episode => this.#alias(`episode\n${name}\n${episode}`))
    return piece.origin === undefined ? shown : { ...shown, origin: this.#alias(`origin\n${piece.origin}`) }
  }

  /** Tells apart, and tells nothing else. */
  #alias(name: string): string {
    return this.#mark(name).toString(36).padStart(MARK_DIGITS, '0')
  }

  /** The name of a field today, and those under which it was spoken of. */
  #namesOf(name: string): string[] {
    const spoken = this.#model.field(name)?.terms.map(({ carrier }) => carrier.field) ?? []
    return [...new Set([name, ...spoken])]
  }
}

/** What a write or a fold did to the document, to be told to each scope in its own words. */
export class DocumentChange {
  readonly #changes: ReadonlyMap<string, FieldChange>
  readonly #updates = new Map<Scope, Uint8Array | undefined>()
  readonly #texts = new Map<Scope, string | undefined>()

  constructor(changes: ReadonlyMap<string, FieldChange>) {
    this.#changes = changes
  }

  namesIn(scope: Scope): string[] {
    return [...this.#changes.keys()].filter(name => scope.read.has(name))
  }

  /** Undefined when the scope can notice nothing of it. */
  in(scope: Scope): Uint8Array | undefined {
    if (!this.#updates.has(scope)) this.#updates.set(scope, this.#updateFor(scope))
    return this.#updates.get(scope)
  }

  /** The same as members of a JSON object: what was put, by key, and which keys are gone. */
  textIn(scope: Scope): string | undefined {
    if (!this.#texts.has(scope)) this.#texts.set(scope, this.#textFor(scope))
    return this.#texts.get(scope)
  }

  #updateFor(scope: Scope): Uint8Array | undefined {
    const seen = this.#seen(scope)
    return seen.length > 0 ? written(seen) : undefined
  }

  #textFor(scope: Scope): string | undefined {
    const seen = this.#seen(scope).sort((a, b) => byAuthor(a.structs, b.structs))
    const gone = seen.flatMap(change => change.gone)
    const put = joined(seen.map(change => change.text))
    return put === '' && gone.length === 0 ? undefined : `"put":{${put}},"gone":${JSON.stringify(gone)}`
  }

  #seen(scope: Scope): FieldChange[] {
    return [...this.#changes].filter(([name]) => scope.read.has(name)).map(([, change]) => change)
  }
}

/** 64 bits to the base of 36. */
const MARK_DIGITS = 13

const NONE: ReadonlySet<string> = new Set()

/** Clocks that were given out and taken back at once are told as gaps, and as deletions like all the others. */
function changeOf(field: FieldDocument, before: number, removed: readonly number[]): FieldChange {
  const { structs } = field.since(before)
  const gone = [...removed]
  for (let clock = before; clock < field.next; clock++) if (!field.has(clock)) gone.push(clock)
  return {
    structs,
    deletions: { author: field.author, ranges: rangesOf(gone.sort((a, b) => a - b)) },
    text: field.text(before),
    gone: removed.toSorted((a, b) => a - b).map(clock => field.key(clock)),
  }
}

const joined = (members: readonly string[]): string => members.filter(text => text !== '').join(',')

const written = (changes: readonly Pick<FieldChange, 'structs' | 'deletions'>[]): Uint8Array =>
  updateOf(
    changes.map(({ structs }) => structs),
    changes.map(({ deletions }) => deletions),
  )

/** An episode is called after the word that opened it, whatever that spoke of; so each field has names of its own. */
function inEpisodes(piece: Word | Pack | Sum, nameOf: (episode: string) => string): Evidence {
  switch (piece.type) {
    case 'word':
      return { ...piece, episode: nameOf(piece.episode) }
    case 'pack':
      return { ...piece, parts: piece.parts.map(part => ({ ...part, episode: nameOf(part.episode) })) }
    case 'sum':
      return { ...piece, id: `sum/${nameOf(piece.id)}`, episodes: piece.episodes.map(nameOf) }
  }
}

/** A retraction reaches many fields; who reads one of them learns of that one only. */
function within(names: readonly string[], retraction: Retraction): Retraction {
  const { id, type, by, role, agent, interaction, source, received } = retraction
  const recall = recallOf(retraction)
  return {
    type,
    id: `${id}@${names[0]}`,
    by,
    role,
    ...(agent !== undefined && { agent }),
    ...(interaction !== undefined && { interaction }),
    ...(source !== undefined && { source }),
    within: [names.filter(name => reaches(recall, name))],
    received,
    seq: 0,
  }
}
