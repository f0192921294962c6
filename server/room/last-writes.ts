import type { Evidence, Retraction } from '../../model/evidence.ts'
import { covers, recallOf } from '../../model/retraction.ts'
import type { Scope } from '../../model/scope.ts'
import type { SelfModel } from '../../model/self-model.ts'

/** The last write that bears on each field, from which each scope's version is made. */
export class LastWrites {
  readonly #byField = new Map<string, number>()

  /** What came from another store carries that store's numbers, and no write here can have a higher one than the last. */
  constructor(model: SelfModel, last: number) {
    for (const piece of model.evidence) this.note(model, piece, Math.min(last, lastSeqOf(piece)))
  }

  /** Notes a write and tells which fields it bears on. */
  note(model: SelfModel, piece: Evidence, seq: number): readonly string[] {
    const fields = piece.type === 'retraction' ? fieldsOf(model, piece) : [piece.field]
    for (const field of fields) this.#byField.set(field, Math.max(seq, this.#byField.get(field) ?? 0))
    return fields
  }

  in(model: SelfModel, scope: Scope): number {
    let last = 0
    for (const { name } of model.readable(scope)) last = Math.max(last, this.#byField.get(name) ?? 0)
    return last
  }
}

/** Only where it takes a word back: who reads none of these must not notice it. */
function fieldsOf(model: SelfModel, retraction: Retraction): string[] {
  const recall = recallOf(retraction)
  return [...model.fields].flatMap(({ name, terms }) => (terms.some(term => covers(recall, name, term)) ? [name] : []))
}

const lastSeqOf = (piece: Evidence): number =>
  piece.type === 'pack' ? piece.parts.reduce((last, part) => Math.max(last, part.seq), 0) : piece.seq
