import { type Field, isFused } from './field.ts'
import type { FieldEvidence } from './field-evidence.ts'
import type { Standing } from './standing.ts'
import { type Term, weightOf } from './term.ts'

/**
 * Weights of what counts or is held, by position, all as of one moment: the latest word that bears weight. As every
 * weight of a field fades at one rate, a later moment only scales them all, so what is believed can't turn by waiting,
 * not even in the last bit. (Forward decay.) Denials weigh nothing, and what is held or weightless does not move the
 * moment: a field may hold a word for many half-lives, and what is said against it must not make it fade.
 */
export interface Weights {
  readonly asOf: number
  readonly of: readonly number[]
}

export function weigh(
  { field, terms }: FieldEvidence,
  standing: readonly Standing[],
  time: number,
  task: string,
): Weights {
  const gone = goneBefore(field, time)
  const of = new Array<number>(terms.length).fill(0)
  let asOf = 0
  let waiting = terms.length
  for (let i = terms.length - 1; i >= 0; i--) {
    const term = terms[i] as Term
    if (term.at < gone) break
    if ((standing[i] !== 'counted' && standing[i] !== 'held') || term.denies) continue
    const own = !field.taskBound || term.task === task
    const weight = own ? term.weight : weightOf(term.x * field.carry)
    if (asOf === 0 && standing[i] === 'counted' && weight > 0) asOf = term.at
    if (asOf === 0) waiting = i
    of[i] = term.at === asOf || asOf === 0 ? weight : weight * since(field, term.at, asOf)
  }
  if (waiting < terms.length) asOf = weighLater(field, terms, of, waiting, asOf)
  if (field.taskBound && isFused(field)) keepStrongestOfOthers(terms, standing, of, task)
  return { asOf, of }
}

/** Words after the latest one that counts, all held or weightless. Where none counts, the latest held one is the moment. */
function weighLater(field: Field, terms: readonly Term[], of: number[], from: number, counted: number): number {
  let asOf = counted
  for (let i = terms.length - 1; i >= from; i--) {
    const { at } = terms[i] as Term
    if (of[i] === 0) continue
    if (asOf === 0) asOf = at
    of[i] = (of[i] as number) * since(field, at, asOf)
  }
  return asOf
}

/** What is left of a weight after a time: half for each half-life. (A power of two would cost twice as much.) */
export const fading = (ms: number, halfLife: number): number => Math.exp(-Math.LN2 * (ms / halfLife))

/**
 * Time in spans of 64 half-lives. A word is gone, with all of its era, before its weight would be no number any more, and
 * whatever else was said: compaction sums and drops whole eras without a trace.
 */
const HALF_LIVES_PER_ERA = 64
export const eraOf = (field: Field, time: number): number => Math.floor(time / (HALF_LIVES_PER_ERA * field.halfLife))

const GONE_AFTER = 14

/**
 * What is held may be later than `asOf`. By no more than this while neither is gone, so that a sum of held words weighs
 * what they weigh; the bound only keeps weights finite for who reads of a time before the words.
 */
const MOST_DOUBLINGS = (GONE_AFTER + 1) * HALF_LIVES_PER_ERA

const since = (field: Field, at: number, asOf: number): number =>
  fading(Math.max(asOf - at, -MOST_DOUBLINGS * field.halfLife), field.halfLife)

/** The beginning of the oldest era that still weighs at a time. */
export const goneBefore = (field: Field, time: number): number =>
  (eraOf(field, time) - GONE_AFTER) * HALF_LIVES_PER_ERA * field.halfLife

/** Words of other tasks speak for a value once, by the strongest of them: five past bookings are one habit. */
function keepStrongestOfOthers(
  terms: readonly Term[],
  standing: readonly Standing[],
  of: number[],
  task: string,
): void {
  const strongest = new Map<string, number>()
  for (let i = terms.length - 1; i >= 0; i--) {
    const term = terms[i] as Term
    if (term.task === task || of[i] === 0) continue
    const claim = `${standing[i]} ${term.denies} ${term.key}`
    const best = strongest.get(claim)
    if (best === undefined) strongest.set(claim, i)
    else if ((of[i] as number) > (of[best] as number)) {
      of[best] = 0
      strongest.set(claim, i)
    } else of[i] = 0
  }
}
