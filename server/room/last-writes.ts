import type { Evidence, Retraction } from '../../model/evidence.ts'
import { Patterns } from '../../model/pattern.ts'
import type { Scope } from '../../model/scope.ts'
import type { SelfModel } from '../../model/self-model.ts'

/** The last write that bears on each field, from which each scope's version is made. */
export class LastWrites {
  readonly #byField = new Map<string, number>()

  constructor(model: SelfModel) {
    for (const piece of model.evidence) this.note(model, piece, lastSeqOf(piece))
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

function fieldsOf(model: SelfModel, { field, within }: Retraction): string[] {
  const reached = new Patterns(...within)
  const named = field === undefined ? [...model.fields].map(({ name }) => name) : [field]
  return named.filter(name => model.field(name) !== undefined && reached.has(name))
}

const lastSeqOf = (piece: Evidence): number =>
  piece.type === 'pack' ? piece.parts.reduce((last, part) => Math.max(last, part.seq), 0) : piece.seq
