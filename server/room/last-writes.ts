import { z } from 'zod'
import type { Evidence, Retraction } from '../../model/evidence.ts'
import { nameNow } from '../../model/interpretation.ts'
import { covers, recallOf } from '../../model/retraction.ts'
import type { Schema } from '../../model/schema.ts'
import type { Scope } from '../../model/scope.ts'
import type { SelfModel } from '../../model/self-model.ts'

const noteShape = z.array(z.tuple([z.string(), z.number()]))

/**
 * The last write that bears on each field, from which each scope's version is made. Compaction may drop the word that was
 * last, which must not be noticed by who reads the field; so what was known before it is kept in a note.
 */
export class LastWrites {
  readonly #byField: Map<string, number>

  /** `written` has, for every piece the model holds, the number of the write it came with. */
  constructor(model: SelfModel, written: ReadonlyMap<string, number>, upTo: number, note: unknown) {
    const known = noteShape.safeParse(note)
    this.#byField = new Map(known.success ? known.data : [])
    for (const piece of model.evidence) {
      const seq = written.get(piece.id) ?? upTo
      if (seq > upTo || !known.success) this.add(model, piece, seq)
    }
  }

  /** Takes a write in and tells which fields it bears on. */
  add(model: SelfModel, piece: Evidence, seq: number): readonly string[] {
    const fields = touchedBy(model, piece)
    for (const field of fields) this.#byField.set(field, Math.max(seq, this.#byField.get(field) ?? 0))
    return fields
  }

  /** Goes by the names that fields have under another schema. */
  rename(schema: Schema): void {
    const before = [...this.#byField]
    this.#byField.clear()
    for (const [field, seq] of before) {
      const now = nameNow(schema, field) ?? field
      this.#byField.set(now, Math.max(seq, this.#byField.get(now) ?? 0))
    }
  }

  in(scope: Scope): number {
    let last = 0
    for (const [field, seq] of this.#byField) if (seq > last && scope.read.has(field)) last = seq
    return last
  }

  note(): unknown {
    return [...this.#byField]
  }
}

/** The fields that a piece of evidence bears on. */
export const touchedBy = (model: SelfModel, piece: Evidence): readonly string[] =>
  piece.type === 'retraction' ? takenBack(model, piece) : said(model, piece.field)

function said({ schema }: SelfModel, field: string): string[] {
  const name = nameNow(schema, field)
  return name === undefined ? [] : [name]
}

/** Only where it takes a word back: who reads none of these must not notice it. */
function takenBack(model: SelfModel, retraction: Retraction): string[] {
  const recall = recallOf(retraction)
  return [...model.fields].flatMap(({ name, terms }) => (terms.some(term => covers(recall, name, term)) ? [name] : []))
}
