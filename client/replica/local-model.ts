import { admit, type Speaker } from '../../model/admission.ts'
import { type Belief, believe } from '../../model/belief.ts'
import type { Evidence, Word } from '../../model/evidence.ts'
import type { FieldEvidence } from '../../model/field-evidence.ts'
import { nameNow } from '../../model/interpretation.ts'
import { Patterns } from '../../model/pattern.ts'
import type { Role } from '../../model/role.ts'
import { Schema } from '../../model/schema.ts'
import { SelfModel } from '../../model/self-model.ts'
import type { SchemaSeen } from '../../model/wire/schema-seen.ts'
import type { Spoken } from '../said.ts'

const ALL = new Patterns(['**'])

/** A belief that own words take part in which have no outcome yet is `pending`. */
export type LocalBelief = Belief & { readonly pending: boolean }

/**
 * The beliefs of a replica, computed where it is. Evidence is what the server sent; own words that wait for their outcome
 * are counted as the server would count them, as far as that can be told here.
 */
export class LocalModel {
  readonly #schema: Schema
  readonly #speaker: Speaker
  #evidence: SelfModel
  /** Own words by field. */
  #pending = new Map<string, Word[]>()

  constructor(agent: string, seen: SchemaSeen) {
    this.#schema = schemaIn(seen)
    this.#speaker = { agent, role: roleOf(seen), trust: seen.role.trust, scope: { read: ALL, write: ALL } }
    this.#evidence = new SelfModel(this.#schema)
  }

  /** The fields of today that pieces of evidence speak of. */
  fieldsOf(pieces: Iterable<Evidence>): Set<string> {
    const fields = new Set<string>()
    for (const piece of pieces) {
      if (piece.type === 'retraction') for (const field of piece.within.flat()) fields.add(field)
      else fields.add(nameNow(this.#schema, piece.field) ?? piece.field)
    }
    return fields
  }

  add(pieces: Iterable<Evidence>): void {
    for (const piece of pieces) this.#evidence.add(piece)
  }

  /** Evidence only grows in a model; what the server took away is left out of a new one. */
  reset(pieces: Iterable<Evidence>): void {
    this.#evidence = new SelfModel(this.#schema, pieces)
  }

  /** What waits in the outbox. */
  await(words: Iterable<Spoken>, now: number): void {
    this.#pending = new Map()
    for (const word of words) this.#expect(word, now)
  }

  fields(): string[] {
    const known = [...this.#evidence.fields].map(({ name }) => name)
    return [...new Set([...known, ...this.#pending.keys()])].sort()
  }

  belief(field: string, time: number, task?: string): LocalBelief | undefined {
    const own = this.#pending.get(field)
    const evidence = own ? this.#with(field, own) : this.#evidence.field(field)
    const belief = evidence && believe(evidence, time, task)
    return belief && { ...belief, pending: own !== undefined }
  }

  #with(field: string, own: readonly Word[]): FieldEvidence | undefined {
    const known = this.#evidence.field(field)
    const carriers = new Set(known?.terms.map(({ carrier }) => carrier) ?? [])
    return new SelfModel(this.#schema, [...carriers, ...(known?.retractions ?? []), ...own]).field(field)
  }

  /** What would be refused is left out: its receipt will say so. */
  #expect(word: Spoken, now: number): void {
    const { field } = word
    const known = this.#evidence.field(field)
    const shown = this.belief(field, now)
    const stamp = {
      id: `pending/${word.id}`,
      received: now,
      seq: (known?.lastSeq ?? 0) + 1 + (this.#pending.get(field)?.length ?? 0),
      episode: this.#episodeOf(field),
      served: { values: shown && shown.value !== null ? [shown.value].flat() : [], denied: shown?.denied ?? [] },
    }
    const admitted = admit(this.#schema, this.#speaker, word, stamp)
    if (admitted.ok) this.#pending.set(field, [...(this.#pending.get(field) ?? []), ...admitted.value])
  }

  /** The agent's last episode in the field, as a word in it replaces the earlier one; most often it is still open. */
  #episodeOf(field: string): string {
    const own = this.#evidence.field(field)?.terms.findLast(({ agent }) => agent === this.#speaker.agent)
    return own?.episodes.at(-1) ?? 'pending'
  }
}

/** All replicas of a desk share what was worked out of its schema: which family each field belongs to, above all. */
const compiled = new WeakMap<SchemaSeen, Schema>()

function schemaIn(seen: SchemaSeen): Schema {
  const known = compiled.get(seen) ?? new Schema({ ...seen.definition, roles: {} })
  compiled.set(seen, known)
  return known
}

const roleOf = ({ role }: SchemaSeen): Role => ({ ...role, reach: 'all', read: ALL, write: ALL })
