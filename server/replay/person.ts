import { admit, interactionOf, NOTHING_SERVED } from '../../model/admission.ts'
import { type Belief, believe } from '../../model/belief.ts'
import { compact } from '../../model/compaction.ts'
import { ok, type Result, refuse } from '../../model/error.ts'
import type { Role } from '../../model/role.ts'
import type { Schema } from '../../model/schema.ts'
import { scopeOf } from '../../model/scope.ts'
import { SelfModel } from '../../model/self-model.ts'
import { Episodes } from '../room/episode.ts'
import type { LogLine, Said } from './log-line.ts'

const COMPACT_EVERY = 1_024
const MOST_EVIDENCE = 20_000

/** Who has the user since the last handoff, and what became of each field it has spoken of since. */
export interface Holding {
  readonly agent: string
  readonly role: Role
  readonly mentioned: Map<string, Mention>
}

export interface Mention {
  readonly kind: 'asked' | 'heard' | 'told'
  /** What the holder could have read instead. */
  readonly known: Belief | undefined
}

/** One user of a log: what a shared model would have held of it by now. */
export class Person {
  holding: Holding | undefined
  readonly #schema: Schema
  #model: SelfModel
  #episodes: Episodes
  #now = 0
  #count = 0
  #compactAt = COMPACT_EVERY

  constructor(schema: Schema) {
    this.#schema = schema
    this.#model = new SelfModel(schema)
    this.#episodes = new Episodes(schema.settings.idle, [])
  }

  /** What a role could have read of a field. Lines stand in order, so a time that goes back is only an older word. */
  believed(role: Role, { at, field, task }: LogLine & { field: string }): Belief | undefined {
    this.#now = Math.max(this.#now, at)
    const evidence = role.read.has(field) ? this.#model.field(field) : undefined
    return evidence && believe(evidence, this.#now, task ?? '')
  }

  hear(role: Role, agent: string, said: Said): Result<undefined> {
    this.#now = Math.max(this.#now, said.at)
    if (this.#model.size >= MOST_EVIDENCE)
      return refuse('quota_exceeded', `A user has at most ${MOST_EVIDENCE} pieces of evidence.`)
    const interaction = interactionOf({ interaction: said.interaction ?? undefined }, agent)
    const id = String(++this.#count)
    const episode = this.#episodes.at(interaction, this.#now) ?? id
    const seq = 1 + (this.#model.field(said.field)?.lastSeq ?? 0)
    const speaker = { agent, role, trust: role.trust, scope: scopeOf(role) }
    const stamp = { id, received: this.#now, seq, episode, served: NOTHING_SERVED }
    const words = admit(this.#schema, speaker, observationIn(said), stamp)
    if (!words.ok) return words
    for (const word of words.value) {
      this.#model.add(word)
      this.#episodes.heard(word)
    }
    if (this.#model.size >= this.#compactAt) this.#compact()
    return ok(undefined)
  }

  #compact(): void {
    const open = this.#episodes.openAt(this.#now)
    this.#model = new SelfModel(
      this.#schema,
      compact(this.#model, this.#now, episode => open.has(episode)),
    )
    this.#compactAt = this.#model.size + COMPACT_EVERY
  }
}

const observationIn = ({ field, value, not, confidence, basis, at, interaction, task, source, why }: Said) => ({
  ...{ field, value, not, confidence, basis, at, interaction, task, source, why },
})
