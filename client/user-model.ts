import type { Definition } from '../model/infer.ts'
import { beliefAt, type Columns, viewOf } from '../model/wire/columns.ts'
import type { ModelAnswer } from '../model/wire/frame.ts'
import type { BeliefOf, FieldName } from './fields.ts'

const FEW = 4

/** What is believed of a user, as far as this agent may read it, at one moment. */
export class UserModel<D extends Definition> {
  readonly user: string
  /** Opaque; a read with `atLeast` of it shows at least this. */
  readonly version: string
  readonly asOf: number
  readonly #columns: Columns
  /** Where each field is, once someone has asked for several. */
  #places: Map<string, number> | undefined
  #asked = 0

  constructor(answer: ModelAnswer) {
    this.user = answer.user
    this.version = answer.version
    this.asOf = answer.asOf
    this.#columns = answer.columns
  }

  get size(): number {
    return this.#columns.field.length
  }

  has(field: FieldName<D>): boolean {
    return this.#placeOf(field) !== undefined
  }

  /** Undefined when nothing is known, or nothing that this agent may read: the two can't be told apart. */
  get<Name extends FieldName<D>>(field: Name): BeliefOf<D, Name> | undefined {
    const place = this.#placeOf(field)
    if (place === undefined) return undefined
    // The server admits only values that fit the field, and the model was compared with its schema on connecting.
    return beliefAt(this.#columns, place) as BeliefOf<D, Name>
  }

  fields(): FieldName<D>[] {
    return [...this.#columns.field] as FieldName<D>[]
  }

  *entries(): Generator<[FieldName<D>, BeliefOf<D, FieldName<D>>]> {
    for (const field of this.fields()) {
      const belief = this.get(field)
      if (belief) yield [field, belief]
    }
  }

  [Symbol.iterator](): Generator<[FieldName<D>, BeliefOf<D, FieldName<D>>]> {
    return this.entries()
  }

  /** As over HTTP, so that `JSON.stringify(model)` shows what is in it. */
  toJSON(): object {
    const { user, version, asOf } = this
    return { user, version, asOf, beliefs: Object.fromEntries(viewOf(this.#columns)) }
  }

  /** Who asks for a few finds them quicker by looking through than by making an index first. */
  #placeOf(field: string): number | undefined {
    if (++this.#asked > FEW) this.#places ??= new Map(this.#columns.field.map((name, place) => [name, place]))
    if (this.#places) return this.#places.get(field)
    const place = this.#columns.field.indexOf(field)
    return place < 0 ? undefined : place
  }
}
