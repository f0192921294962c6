import { createHash, randomBytes } from 'node:crypto'
import { admit, admitRetraction, interactionOf, type Speaker, type Stamp } from '../../model/admission.ts'
import { ok, type Result, refuse } from '../../model/error.ts'
import type { Evidence, Word } from '../../model/evidence.ts'
import { isId } from '../../model/name.ts'
import { isPerson } from '../../model/role.ts'
import type { Schema } from '../../model/schema.ts'
import type { Scope } from '../../model/scope.ts'
import type { SelfModel } from '../../model/self-model.ts'
import { trustOf } from '../../model/trust.ts'
import type { ItemOutcome } from '../../model/wire/frame.ts'
import type { Under } from '../access/authority.ts'
import type { Session } from '../access/session.ts'
import type { Limits } from '../limits.ts'
import type { Outcome } from '../store/outcome.ts'
import type { Head, Tally, TallyChange } from '../store/storage.ts'
import type { Episodes } from './episode.ts'
import type { ServedMemory } from './served.ts'
import { tallyChanges } from './tally.ts'

/** What one request wants written of one user, whatever door it came in by. */
export interface Submission {
  readonly session: Session
  readonly items: readonly Item[]
  /** All or nothing. */
  readonly atomic: boolean
  readonly under?: Under
}

export interface Item {
  readonly kind: 'observation' | 'retraction'
  readonly input: unknown
  /** The sender's id, by which a resent item is known. */
  readonly id: string | undefined
  /** The field it speaks of, if it says. */
  readonly field: string | undefined
  /** It has waited, nobody knows for how long, and does not say when it was said. */
  readonly isUndated?: true
}

export const itemOf = (kind: Item['kind'], input: unknown): Item => ({
  kind,
  input,
  id: idIn(input),
  field: textIn(input, 'field'),
})

function idIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const id: unknown = Object.getOwnPropertyDescriptor(input, 'id')?.value
  return typeof id === 'string' && isId(id) ? id : undefined
}

/** What a commit is formed against. */
export interface Ground {
  readonly schema: Schema
  readonly model: SelfModel
  readonly episodes: Pick<Episodes, 'at'>
  readonly served: Pick<ServedMemory, 'of'>
  readonly limits: Limits
  readonly tally: (agent: string) => Tally
  /** What a session may read and write of this user now. */
  readonly scope: (session: Session, under: Under | undefined) => Result<Scope>
  readonly now: number
  /** When the user was last erased: what was said until then is not taken. */
  readonly erasedAt: number | undefined
}

export interface Claim {
  readonly agent: string
  readonly id: string
}

export interface Commit {
  readonly evidence: readonly Evidence[]
  readonly outcomes: readonly (Claim & { readonly outcome: Outcome; readonly time: number })[]
  readonly tallies: readonly TallyChange[]
  readonly result: readonly (readonly ItemOutcome[])[]
}

/** The ids of a batch in the order in which `formCommit` expects what the ledger knows of them. */
export const claimsOf = (submissions: readonly Submission[]): Claim[] =>
  submissions.flatMap(({ session, items }) =>
    items.flatMap(({ id }) => (id === undefined ? [] : [{ agent: session.agent, id }])),
  )

/**
 * The one way to become evidence. Every check that depends on state is made here, when the commit is formed: what the
 * ledger knows, schema and scope, quota, trust, what was served.
 */
export function formCommit(
  ground: Ground,
  submissions: readonly Submission[],
  head: Head,
  known: readonly (Outcome | undefined)[],
): Commit {
  const forming = new Forming(ground, head, new Map(claimsOf(submissions).map((claim, i) => [nameOf(claim), known[i]])))
  const result = submissions.map(submission => forming.take(submission))
  const words = forming.evidence.filter((piece): piece is Word => piece.type === 'word')
  return { evidence: forming.evidence, outcomes: forming.outcomes, tallies: tallyChanges(ground.model, words), result }
}

const EPISODE_NAME = 12

const nameOf = ({ agent, id }: Claim): string => `${agent}\n${id}`

class Forming {
  readonly evidence: Evidence[] = []
  readonly outcomes: (Claim & { outcome: Outcome; time: number })[] = []
  readonly #ground: Ground
  readonly #head: Head
  readonly #ledger: Map<string, Outcome | undefined>
  /** Episodes that words of this commit opened, by interaction. */
  readonly #opened = new Map<string, string>()
  /** The last place in the order of arrival that words of this commit took, by field. */
  readonly #arrived = new Map<string, number>()

  constructor(ground: Ground, head: Head, ledger: Map<string, Outcome | undefined>) {
    this.#ground = ground
    this.#head = head
    this.#ledger = ledger
  }

  take({ session, items, atomic, under }: Submission): ItemOutcome[] {
    const before = this.evidence.length
    const settled = this.#settleAll(session, items, under)
    const isRefused = [...settled.values()].some(({ outcome }) => outcome.status === 'refused')
    const final = atomic && isRefused ? this.#undone(settled, before) : settled
    for (const { item, outcome, isNew } of final.values()) if (isNew) this.#record(session.agent, item, outcome)
    return items.map(item => outcomeOf(final.get(nameIn(item)) as Settled))
  }

  /** By name: an id that stands twice in a batch is settled once, by its first item. */
  #settleAll(session: Session, items: readonly Item[], under: Under | undefined): Map<string | Item, Settled> {
    const settled = new Map<string | Item, Settled>()
    for (const item of items)
      if (!settled.has(nameIn(item))) settled.set(nameIn(item), this.#settle(session, item, under))
    return settled
  }

  #settle(session: Session, item: Item, under: Under | undefined): Settled {
    const known = item.id === undefined ? undefined : this.#ledger.get(nameOf({ agent: session.agent, id: item.id }))
    const id = evidenceId(session.agent, item)
    if (known) return { item, id: item.id ?? id, outcome: known, isNew: false }
    const admitted = this.#admit(session, item, id, under)
    if (!admitted.ok)
      return { item, id: item.id ?? id, outcome: { status: 'refused', error: admitted.error }, isNew: true }
    for (const piece of admitted.value) this.#push(piece)
    const isEcho = admitted.value.every(piece => piece.type === 'word' && piece.echo)
    return { item, id: item.id ?? id, outcome: { status: isEcho ? 'echo' : 'admitted' }, isNew: true }
  }

  #push(piece: Evidence): void {
    this.evidence.push(piece)
    if (piece.type !== 'word') return
    this.#opened.set(piece.interaction, piece.episode)
    this.#arrived.set(piece.field, piece.seq)
  }

  #admit(session: Session, item: Item, id: string, under: Under | undefined): Result<Evidence[]> {
    const admitted = this.#check(session, item, id, under)
    return admitted.ok && !this.#hasRoom(session, admitted.value.length)
      ? refuse('quota_exceeded', 'This user holds as many pieces of evidence as are allowed.')
      : admitted
  }

  #hasRoom({ role }: Session, more: number): boolean {
    const { model, limits } = this.#ground
    const room = limits.evidencePerUser * (isPerson(role) ? 1 : 1 - limits.peopleReserve)
    return model.size + this.evidence.length + more <= room
  }

  #check(session: Session, { kind, input, isUndated }: Item, id: string, under: Under | undefined): Result<Evidence[]> {
    const { now, schema } = this.#ground
    const scope = this.#ground.scope(session, under)
    if (!scope.ok) return scope
    const speaker = speakerOf(session, scope.value, this.#ground)
    if (kind === 'observation')
      return this.#since(admit(schema, speaker, input, this.#stamp(speaker, input, id)), isUndated)
    const seq = this.#head.seq + this.evidence.length + 1
    const retraction = admitRetraction(speaker, input, { id, received: now, seq })
    return retraction.ok ? ok([retraction.value]) : retraction
  }

  /** Otherwise what waited somewhere would bring back what was erased. */
  #since(admitted: Result<Evidence[]>, isUndated = false): Result<Evidence[]> {
    const { erasedAt } = this.#ground
    if (!admitted.ok || erasedAt === undefined) return admitted
    if (isUndated) return refuse('erased', 'The user was erased, maybe after this was said: say when, as `at`.')
    const isBefore = admitted.value.some(piece => piece.type === 'word' && piece.at <= erasedAt)
    return isBefore ? refuse('erased', 'The user was erased after this was said.') : admitted
  }

  /** The episode and what was served are looked up by what the input claims to be; admission decides whether it is. */
  #stamp(speaker: Speaker, input: unknown, id: string): Stamp {
    const { now, episodes, served } = this.#ground
    const field = textIn(input, 'field') ?? ''
    const interaction = interactionOf({ interaction: textIn(input, 'interaction') }, speaker.agent)
    return {
      id,
      received: now,
      seq: 1 + (this.#arrived.get(field) ?? this.#ground.model.field(field)?.lastSeq ?? 0),
      episode: this.#opened.get(interaction) ?? episodes.at(interaction, now) ?? nameOfEpisode(id),
      served: served.of(speaker.agent, field),
    }
  }

  #undone(settled: ReadonlyMap<string | Item, Settled>, before: number): Map<string | Item, Settled> {
    const kept = this.evidence.slice(0, before)
    this.evidence.length = 0
    this.#opened.clear()
    this.#arrived.clear()
    for (const piece of kept) this.#push(piece)
    const error = { code: 'atomic_refused', message: 'Another observation of this batch was refused.' } as const
    return new Map(
      [...settled].map(([name, each]) => [
        name,
        each.isNew && each.outcome.status !== 'refused' ? { ...each, outcome: { status: 'refused', error } } : each,
      ]),
    )
  }

  #record(agent: string, { id }: Item, outcome: Outcome): void {
    if (id === undefined) return
    this.#ledger.set(nameOf({ agent, id }), outcome)
    this.outcomes.push({ agent, id, outcome, time: this.#ground.now })
  }
}

interface Settled {
  readonly item: Item
  readonly id: string
  readonly outcome: Outcome
  readonly isNew: boolean
}

/** What tells items of a batch apart: the sender's id, or each for itself. */
const nameIn = (item: Item): string | Item => item.id ?? item

const outcomeOf = ({ id, outcome }: Settled): ItemOutcome =>
  outcome.status === 'refused' ? { id, status: 'refused', error: outcome.error } : { id, status: outcome.status }

/** After the word that opens it, so that two stores never call two episodes alike. */
const nameOfEpisode = (id: string): string => id.slice(0, EPISODE_NAME)

const speakerOf = ({ agent, role }: Session, scope: Scope, { tally }: Ground): Speaker => ({
  agent,
  role,
  scope,
  trust: isPerson(role) ? role.trust : trustOf(tally(agent), role.trust),
})

/** The same wherever an agent sends the same item, so that two stores that both took it hold one piece of evidence. */
const evidenceId = (agent: string, { id }: Item): string =>
  id === undefined
    ? randomBytes(12).toString('base64url')
    : createHash('sha256').update(`${agent}\n${id}`).digest('base64url').slice(0, 22)

function textIn(input: unknown, key: string): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const text: unknown = Object.getOwnPropertyDescriptor(input, key)?.value
  return typeof text === 'string' ? text : undefined
}
