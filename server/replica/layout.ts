import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Evidence, Pack, Sum, Word } from '../../model/evidence.ts'
import { nameNow } from '../../model/interpretation.ts'
import { covers, type Recall, type Said } from '../../model/retraction.ts'
import type { Schema } from '../../model/schema.ts'
import type { SelfModel } from '../../model/self-model.ts'

/** What the layout was kept as, with a snapshot of the same evidence in the same order. */
const keptShape = z.strictObject({
  generation: z.string(),
  schema: z.string(),
  next: z.array(z.tuple([z.string(), z.int()])),
  /** By position of the evidence, its place in each field. */
  places: z.array(z.array(z.tuple([z.string(), z.int()]))),
})

export type KeptLayout = z.infer<typeof keptShape>

/** One field of the document: which clock each piece of evidence has, and the first that none had yet. */
export interface FieldLayout {
  next: number
  readonly clocks: Map<string, number>
}

export interface Placed {
  readonly field: string
  readonly id: string
  readonly clock: number
}

/** What makes a document another one although evidence is the same, so that no author's clock ever means two things. */
export interface Circumstances {
  readonly epoch: number
  /** The last write that the snapshot covers: what was kept with an earlier one may have been lost in the same way. */
  readonly foldedTo: number
  readonly damaged: readonly unknown[]
  /** Ids of what an import brought that can change what earlier evidence amounts to. */
  readonly imported: readonly string[]
  /** Of names that are read as one, whose evidence has no order of its own: another each time they are put together. */
  readonly joined?: string
}

/**
 * Where each piece of evidence stands in the document. Every field has an author of its own, whose clock rises by one
 * for each piece in the order in which pieces were written down; so the log says it all, and only what compaction kept
 * has to be noted. A clock is never given twice.
 *
 * A word, pack or sum stands in its field. A retraction stands in every field where it covers something, from the moment
 * it does.
 */
export class Layout {
  /** Names the author ids: another generation has others. */
  readonly generation: string
  readonly fields = new Map<string, FieldLayout>()
  readonly #schema: string
  readonly #retractions = new Set<string>()

  private constructor(generation: string, schema: string) {
    this.generation = generation
    this.#schema = schema
  }

  /** Of a model as it was loaded: what was kept, and then the rest of the evidence in its order. */
  static of(model: SelfModel, kept: unknown, circumstances: Circumstances): Layout {
    // A store that was restored has an epoch of its own: what it gives out from then on is not what the original does.
    const schema = `${fingerprintOf(model.schema)}@${circumstances.epoch}`
    const known = keptShape.safeParse(kept)
    const base = known.success && known.data.schema === schema && isClean(circumstances) ? known.data : undefined
    const before = known.success ? known.data.generation : ''
    const layout = new Layout(base?.generation ?? digest([schema, before, circumstances]), schema)
    if (base) layout.#resume(base, model)
    for (const piece of [...model.evidence].slice(base?.places.length ?? 0)) layout.add(model, piece)
    return layout
  }

  /** Takes in a piece that the model holds, and tells where it stands now. */
  add(model: SelfModel, piece: Evidence): Placed[] {
    if (piece.type === 'retraction') return this.#addRetraction(model, piece.id)
    const field = fieldOf(model, piece)
    if (field === undefined) return []
    return [this.#place(field, piece.id), ...this.#covering(model, field, piece)]
  }

  /** The same document for what compaction left of its evidence. */
  folded(model: SelfModel, evidence: readonly Evidence[]): Layout {
    const layout = new Layout(this.generation, this.#schema)
    for (const [field, { next }] of this.fields) layout.fields.set(field, { next, clocks: new Map() })
    for (const piece of evidence)
      if (piece.type === 'retraction') layout.#keepRetraction(this, piece.id)
      else layout.#keep(this, model, piece)
    return layout
  }

  kept(evidence: readonly Evidence[]): KeptLayout {
    const places = new Map<string, [string, number][]>()
    for (const [field, { clocks }] of this.fields)
      for (const [id, clock] of clocks) places.set(id, [...(places.get(id) ?? []), [field, clock]])
    return {
      generation: this.generation,
      schema: this.#schema,
      next: [...this.fields].map(([field, { next }]) => [field, next]),
      places: evidence.map(({ id }) => places.get(id) ?? []),
    }
  }

  #resume({ next, places }: KeptLayout, model: SelfModel): void {
    for (const [field, clock] of next) this.fields.set(field, { next: clock, clocks: new Map() })
    let index = 0
    for (const { id, type } of model.evidence) {
      const stood = places[index++]
      if (!stood) return
      if (type === 'retraction') this.#retractions.add(id)
      for (const [field, clock] of stood) this.#at(field).clocks.set(id, clock)
    }
  }

  #keepRetraction({ fields }: Layout, id: string): void {
    this.#retractions.add(id)
    for (const [field, { clocks }] of fields) {
      const clock = clocks.get(id)
      if (clock !== undefined) this.#at(field).clocks.set(id, clock)
    }
  }

  #keep({ fields }: Layout, model: SelfModel, piece: Word | Pack | Sum): void {
    const field = fieldOf(model, piece)
    if (field === undefined) return
    const clock = fields.get(field)?.clocks.get(piece.id)
    if (clock === undefined) this.#place(field, piece.id)
    else this.#at(field).clocks.set(piece.id, clock)
  }

  #addRetraction(model: SelfModel, id: string): Placed[] {
    this.#retractions.add(id)
    const placed: Placed[] = []
    for (const { name, recalls, terms } of model.fields) {
      const recall = recalls.find(candidate => candidate.id === id)
      const here = this.fields.get(name)
      if (!recall || !here) continue
      if (terms.some(term => here.clocks.has(term.carrier.id) && covers(recall, name, term)))
        placed.push(this.#place(name, id))
    }
    return placed
  }

  #covering(model: SelfModel, name: string, piece: Word | Pack | Sum): Placed[] {
    const { recalls = [] } = model.field(name) ?? {}
    const { clocks } = this.#at(name)
    const isNew = ({ id }: Recall) => this.#retractions.has(id) && !clocks.has(id)
    const said = recalls.some(isNew) ? partsOf(piece) : []
    return recalls
      .filter(recall => isNew(recall) && said.some(part => covers(recall, name, part)))
      .map(({ id }) => this.#place(name, id))
  }

  #place(field: string, id: string): Placed {
    const layout = this.#at(field)
    const clock = layout.next++
    layout.clocks.set(id, clock)
    return { field, id, clock }
  }

  #at(field: string): FieldLayout {
    const known = this.fields.get(field)
    if (known) return known
    const layout = { next: 0, clocks: new Map<string, number>() }
    this.fields.set(field, layout)
    return layout
  }
}

const isClean = ({ damaged, imported }: Circumstances): boolean => damaged.length === 0 && imported.length === 0

const digest = (facts: unknown): string => createHash('sha256').update(JSON.stringify(facts)).digest('base64url')

/** Of all that decides what evidence means. Another schema may read the same evidence otherwise. */
const fingerprintOf = ({ definition }: Schema): string => {
  const { fields, settings } = definition as { readonly fields: unknown; readonly settings?: unknown }
  return digest([fields, settings ?? null])
}

const fieldOf = (model: SelfModel, { id, field }: Word | Pack | Sum): string | undefined =>
  model.unfit.has(id) ? undefined : nameNow(model.schema, field)

function partsOf(piece: Word | Pack | Sum): Said[] {
  if (piece.type !== 'pack') return [{ ...piece, carrier: piece }]
  return piece.parts.map(part => ({ ...part, agent: piece.agent, carrier: piece }))
}
