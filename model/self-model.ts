import type { Evidence, Pack, Retraction, Sum, Word } from './evidence.ts'
import { FieldEvidence } from './field-evidence.ts'
import { interpret } from './interpretation.ts'
import type { Schema } from './schema.ts'
import type { Scope } from './scope.ts'

/**
 * All that is known of one user: a set of evidence that only grows. It merges with another by union, which can't
 * conflict; every belief is computed from it.
 */
export class SelfModel {
  readonly schema: Schema
  readonly #evidence = new Map<string, Evidence>()
  readonly #fields = new Map<string, FieldEvidence>()
  readonly #retractions: Retraction[] = []
  readonly #unfit = new Map<string, string>()
  /** Fields by scope; made anew when a field is heard of for the first time. */
  #readable = new WeakMap<Scope, FieldEvidence[]>()

  constructor(schema: Schema, evidence: Iterable<Evidence> = []) {
    this.schema = schema
    for (const piece of evidence) this.add(piece)
  }

  /** Union with one piece; false when it was there already. */
  add(evidence: Evidence): boolean {
    if (this.#evidence.has(evidence.id)) return false
    this.#evidence.set(evidence.id, evidence)
    if (evidence.type === 'retraction') this.#retract(evidence)
    else this.#hear(evidence)
    return true
  }

  get evidence(): Iterable<Evidence> {
    return this.#evidence.values()
  }

  /** A piece by its id. */
  get(id: string): Evidence | undefined {
    return this.#evidence.get(id)
  }

  get size(): number {
    return this.#evidence.size
  }

  field(name: string): FieldEvidence | undefined {
    return this.#fields.get(name)
  }

  get fields(): Iterable<FieldEvidence> {
    return this.#fields.values()
  }

  /** Ids of what was said under an earlier schema and means nothing under this one, with the reason. */
  get unfit(): ReadonlyMap<string, string> {
    return this.#unfit
  }

  /** The fields in a scope that anything was said of, by name. */
  readable(scope: Scope): readonly FieldEvidence[] {
    const known = this.#readable.get(scope)
    if (known) return known
    const names = [...this.#fields.keys()].filter(name => scope.read.has(name)).sort()
    const readable = names.map(name => this.#fields.get(name) as FieldEvidence)
    this.#readable.set(scope, readable)
    return readable
  }

  #hear(evidence: Word | Pack | Sum): void {
    const meant = interpret(this.schema, evidence)
    if (!meant.fits) {
      this.#unfit.set(evidence.id, meant.reason)
      return
    }
    const name = meant.evidence.field
    let field = this.#fields.get(name)
    if (!field) {
      field = new FieldEvidence(name, meant.field, this.schema.settings.late)
      for (const retraction of this.#retractions) field.addRetraction(retraction)
      this.#fields.set(name, field)
      this.#readable = new WeakMap()
    }
    field.add(meant.evidence, evidence)
  }

  #retract(retraction: Retraction): void {
    this.#retractions.push(retraction)
    for (const field of this.#fields.values()) field.addRetraction(retraction)
  }
}
