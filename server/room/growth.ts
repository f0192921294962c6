import { z } from 'zod'
import type { Evidence } from '../../model/evidence.ts'
import { nameNow } from '../../model/interpretation.ts'
import type { Schema } from '../../model/schema.ts'

const noteShape = z.array(z.tuple([z.string(), z.int()]))

/**
 * How many words each field has taken in since it was compacted. A field is compacted for its own growth: compacted
 * with all others it would tell its readers how much is written of fields they may not read.
 */
export class Growth {
  readonly #schema: Schema
  readonly #byField: Map<string, number>

  constructor(schema: Schema, note: unknown) {
    const known = noteShape.safeParse(note)
    this.#schema = schema
    this.#byField = new Map(known.success ? known.data : [])
  }

  /** The same under another schema, by the names that fields have there. */
  under(schema: Schema): Growth {
    const growth = new Growth(schema, [])
    for (const [field, count] of this.#byField) {
      const now = nameNow(schema, field)
      if (now !== undefined) growth.#byField.set(now, count + (growth.#byField.get(now) ?? 0))
    }
    return growth
  }

  add(piece: Evidence): void {
    const field = piece.type === 'word' ? nameNow(this.#schema, piece.field) : undefined
    if (field !== undefined) this.#byField.set(field, 1 + (this.#byField.get(field) ?? 0))
  }

  /** The fields that have taken in so many. */
  due(words: number): ReadonlySet<string> {
    return new Set([...this.#byField].flatMap(([field, count]) => (count >= words ? [field] : [])))
  }

  forget(fields: ReadonlySet<string>): void {
    for (const field of fields) this.#byField.delete(field)
  }

  note(): unknown {
    return [...this.#byField]
  }
}
