import { compare, type Evidence, type Pack, type Part, type Sum, type Word } from './evidence.ts'
import { type Field, isFused } from './field.ts'
import type { FieldEvidence } from './field-evidence.ts'
import type { SelfModel } from './self-model.ts'
import { type Standing, standings } from './standing.ts'
import type { Term } from './term.ts'
import { keyOf } from './value.ts'
import { eraOf, fading, goneBefore } from './weight.ts'

/**
 * The same beliefs from less evidence. Only closed episodes are touched, as nothing can enter their registers any more:
 *
 * - dropped: what is superseded or retracted, echoes that no late word can concern, what has faded for good;
 * - packed: agents' words for one value by one agent. A part keeps all that a later word or retraction could ask for;
 * - summed: parts older than any late word, of one interaction and source, that no settling word lies between.
 *
 * People's words, texts and records stay as they are. The result may meet an uncompacted copy of itself: the union
 * believes the same.
 */
export function compact(model: SelfModel, now: number, isOpen: (episode: string) => boolean): Evidence[] {
  const kept: Evidence[] = []
  for (const evidence of model.evidence)
    if (evidence.type === 'retraction' || model.unfit.has(evidence.id)) kept.push(evidence)
  for (const field of model.fields) kept.push(...compactField(field, now, model.schema.settings.late, isOpen))
  return kept
}

/** The same for one field. */
export function compactField(
  evidence: FieldEvidence,
  now: number,
  late: number,
  isOpen: (episode: string) => boolean,
): (Word | Pack | Sum)[] {
  const standing = standings(evidence)
  const kept = new Set<Word | Pack | Sum>()
  const foldable = new Map<string, Term[]>()
  for (const [i, term] of evidence.terms.entries()) {
    const closed = !term.episodes.some(isOpen)
    if (closed && isDroppable(evidence, term, standing[i] as Standing, now, late)) continue
    if (closed && isFoldable(evidence, term)) group(foldable, foldKey(term), term)
    else kept.add(term.carrier)
  }
  const boundaries = boundariesOf(evidence, standing)
  for (const terms of foldable.values())
    for (const piece of fold(evidence, terms, now - late, boundaries)) kept.add(piece)
  return [...kept]
}

function isDroppable({ field }: FieldEvidence, term: Term, standing: Standing, now: number, late: number): boolean {
  if (standing === 'superseded' || standing === 'retracted') return true
  if (term.echo) return term.at < now - late
  return term.rank === 0 && term.at < goneBefore(field, now) && !standsForItsTask(field)
}

/** The last text of a task stands for it even when it is gone: without it another task's would. */
const standsForItsTask = (field: Field): boolean => field.taskBound && !isFused(field)

const isFoldable = ({ field }: FieldEvidence, term: Term): boolean =>
  term.rank === 0 && !term.echo && !term.denies && isFused(field)

const taskOf = (term: Term): string | undefined => (term.carrier.type === 'sum' ? undefined : term.carrier.task)

/** Alike as they were said, not only as the schema of today reads them: a later schema may read them apart. */
const foldKey = (term: Term): string => {
  const { field, value, not } = term.carrier
  return [term.agent, taskOf(term) ?? '', field, not ?? false, typeof value, keyOf(value)].join('\n')
}

function group<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const known = groups.get(key)
  if (known) known.push(item)
  else groups.set(key, [item])
}

function fold(
  evidence: FieldEvidence,
  terms: readonly Term[],
  before: number,
  boundaries: Boundaries,
): (Word | Pack | Sum)[] {
  const summable = new Map<string, Term[]>()
  const rest: Term[] = []
  for (const term of terms) {
    if (term.carrier.type !== 'sum' && (evidence.field.taskBound || term.at >= before)) rest.push(term)
    else group(summable, sumKey(evidence, term, boundaries), term)
  }
  const sums: Sum[] = []
  for (const alike of summable.values()) {
    const [first] = alike as [Term]
    if (alike.length > 1) sums.push(sum(evidence, alike))
    else if (first.carrier.type === 'sum') sums.push(first.carrier)
    else rest.push(first)
  }
  return [...sums, ...pack(rest)]
}

/** Words alone keep what a pack would lose: their reasons. */
function pack(terms: readonly Term[]): (Word | Pack)[] {
  const [first] = terms
  if (!first) return []
  if (terms.length === 1 && first.carrier.type === 'word') return [first.carrier]
  const { value, not, agent, role, field } = first.carrier
  const task = taskOf(first)
  const parts = terms.map(partOf)
  return [
    {
      type: 'pack',
      id: `pack/${fingerprint(parts.map(part => part.id))}`,
      field,
      value,
      ...(not && { not }),
      agent,
      role,
      ...(task !== undefined && { task }),
      parts,
    },
  ]
}

function partOf({ evidence }: Term): Part {
  const { id, interaction, episode, source, basis, confidence, trust, at, seq } = evidence as Word | Part
  return { id, interaction, episode, ...(source !== undefined && { source }), basis, confidence, trust, at, seq }
}

function sum({ field }: FieldEvidence, terms: readonly Term[]): Sum {
  const last = terms.at(-1) as Term
  const { value, not, agent, role, field: name } = last.carrier
  const episodes = terms.flatMap(term => term.episodes)
  return {
    type: 'sum',
    id: `sum/${fingerprint(episodes)}/${last.id}`,
    field: name,
    value,
    ...(not && { not }),
    agent,
    role,
    interaction: last.interaction,
    ...(last.source !== undefined && { source: last.source }),
    episodes,
    at: last.at,
    seq: last.seq,
    last: last.id,
    weight: terms.reduce((total, term) => total + term.weight * fading(last.at - term.at, field.halfLife), 0),
    claimed: terms.reduce((total, term) => total + term.claimed, 0),
  }
}

/**
 * The times at which people's words part what is void from what is held, and what is held from what counts; and the words
 * themselves, which part what they judge from what came after.
 */
interface Cell {
  readonly settled: number[]
  readonly released: number[]
  readonly judges: Term[]
}

type Boundaries = ReadonlyMap<string, Cell>

function boundariesOf({ field, terms }: FieldEvidence, standing: readonly Standing[]): Boundaries {
  const boundaries = new Map<string, Cell>()
  for (const [i, term] of terms.entries()) {
    if (term.rank === 0 || standing[i] === 'superseded' || standing[i] === 'retracted') continue
    const cell = boundaries.get(term.element) ?? { settled: [], released: [], judges: [] }
    cell.settled.push(term.boundary)
    cell.released.push(term.at + field.hold)
    cell.judges.push(term)
    boundaries.set(term.element, cell)
  }
  return boundaries
}

/**
 * Alike in everything that can still happen to them: taken back together, settled together, faded together. What weighs
 * nothing is no evidence for a value and would be counted as such in a sum with what does.
 */
function sumKey({ field }: FieldEvidence, term: Term, boundaries: Boundaries): string {
  const cell = boundaries.get(term.element)
  const settled = cell?.settled.filter(boundary => term.at <= boundary).length ?? 0
  const released = cell?.released.filter(boundary => term.at < boundary).length ?? 0
  const judged = cell?.judges.filter(judge => compare(term, judge) < 0).length ?? 0
  const era = eraOf(field, term.at)
  return [term.interaction, term.source ?? '', settled, released, judged, era, term.weight > 0].join('\n')
}

/** FNV-1a over both halves of 64 bits: names a fold by what it was made of, the same wherever it is made. */
function fingerprint(ids: readonly string[]): string {
  let low = 0x811c9dc5
  let high = 0x9dc5811c
  for (const id of ids) {
    for (let i = 0; i < id.length; i++) {
      low = Math.imul(low ^ id.charCodeAt(i), 0x01000193)
      high = Math.imul(high ^ id.charCodeAt(i), 0x01000197)
    }
    low = Math.imul(low ^ 0x0a, 0x01000193)
    high = Math.imul(high ^ 0x0a, 0x01000197)
  }
  return (high >>> 0).toString(36) + (low >>> 0).toString(36)
}
