import type { Definition } from '../model/infer.ts'
import type { View } from '../model/view.ts'
import { viewOf } from '../model/wire/columns.ts'
import type { ModelAnswer } from '../model/wire/frame.ts'
import type { BeliefOf, FieldName } from './fields.ts'

/** What is believed of a user, as far as this agent may read it, at one moment. */
export class UserModel<D extends Definition> {
  readonly user: string
  /** Opaque; a read with `atLeast` of it shows at least this. */
  readonly version: string
  readonly asOf: number
  readonly #view: View

  constructor(answer: ModelAnswer) {
    this.user = answer.user
    this.version = answer.version
    this.asOf = answer.asOf
    this.#view = viewOf(answer.columns)
  }

  get size(): number {
    return this.#view.size
  }

  has(field: FieldName<D>): boolean {
    return this.#view.has(field)
  }

  /** Undefined when nothing is known, or nothing that this agent may read: the two can't be told apart. */
  get<Name extends FieldName<D>>(field: Name): BeliefOf<D, Name> | undefined {
    // The server admits only values that fit the field, and the model was compared with its schema on connecting.
    return this.#view.get(field) as BeliefOf<D, Name> | undefined
  }

  fields(): FieldName<D>[] {
    return [...this.#view.keys()] as FieldName<D>[]
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
    return { user, version, asOf, beliefs: Object.fromEntries(this.#view) }
  }
}
