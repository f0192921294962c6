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

export function weigh({ field, terms }: FieldEvidence, standing: readonly Standing[], task: string): Weights {
  const of = new Array<number>(terms.length).fill(0)
  for (let i = terms.length - 1; i >= 0; i--) {
    const term = terms[i] as Term
    if ((standing[i] !== 'counted' && standing[i] !== 'held') || term.denies) continue
    const own = !field.taskBound || term.task === task
    of[i] = own ? term.weight : weightOf(term.x * field.carry)
  }
  const asOf = momentOf(terms, standing, of)
  for (let i = terms.length - 1; i >= 0; i--) {
    const { at } = terms[i] as Term
    if (of[i] !== 0 && at !== asOf) of[i] = (of[i] as number) * since(field, at, asOf)
  }
  if (field.taskBound && isFused(field)) keepStrongestOfOthers(terms, standing, of, task)
  return { asOf, of }
}

/** The latest word that counts and weighs; where none does, the latest that is held. */
function momentOf(terms: readonly Term[], standing: readonly Standing[], of: readonly number[]): number {
  let held = 0
  for (let i = terms.length - 1; i >= 0; i--) {
    if (of[i] === 0) continue
    const { at } = terms[i] as Term
    if (standing[i] === 'counted') return at
    if (held === 0) held = at
  }
  return held
}

/** What is left of a weight after a time: half for each half-life. */
export const fading = (ms: number, halfLife: number): number => 2 ** (-ms / halfLife)

/**
 * Time in spans of 64 half-lives. Two eras apart, one weight is less than the last bit of the other: it counts as nothing,
 * and so does all of its era, which lets compaction sum and drop whole eras without a trace.
 */
const HALF_LIVES_PER_ERA = 64
export const eraOf = (field: Field, time: number): number => Math.floor(time / (HALF_LIVES_PER_ERA * field.halfLife))

/** What is held may be later than `asOf`, by more half-lives than a number can double. */
const MOST_DOUBLINGS = 900

const since = (field: Field, at: number, asOf: number): number =>
  eraOf(field, asOf) - eraOf(field, at) > 1
    ? 0
    : fading(Math.max(asOf - at, -MOST_DOUBLINGS * field.halfLife), field.halfLife)

/** Eras after its last word a belief is gone. Beyond that its confidence would be no number any more. */
export const GONE_AFTER = 15

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
