import { compare } from './evidence.ts'
import type { FieldEvidence } from './field-evidence.ts'
import type { Standing } from './standing.ts'
import type { Term } from './term.ts'
import type { Json } from './value.ts'
import type { Weights } from './weight.ts'

/** What speaks for one value: the weight that counts, the weight that is held, and the last word that bears on it. */
export interface Support {
  readonly key: string
  value: Json
  weight: number
  held: number
  /** The last word that counts for it; of a value that is only held, the last held one. */
  last: Term
  count: number
}

/** Up to here a plain search through the list is faster than a map. */
const FEW = 8

/** Supports by equal value: choices, flags, texts, records. */
export function supportsByValue({ terms }: FieldEvidence, standing: readonly Standing[], weights: Weights): Support[] {
  const supports: Support[] = []
  let index: Map<string, Support> | undefined
  for (let i = terms.length - 1; i >= 0; i--) {
    const weight = weights.of[i] as number
    const term = terms[i] as Term
    if (weight === 0 || term.denies) continue
    let support = index ? index.get(term.key) : find(supports, term.key)
    if (!support) {
      support = { key: term.key, value: term.value, weight: 0, held: 0, last: term, count: 0 }
      supports.push(support)
      if (index) index.set(term.key, support)
      else if (supports.length > FEW) index = new Map(supports.map(known => [known.key, known]))
    }
    bear(support, term, standing[i] as Standing, weight)
  }
  return supports
}

function find(supports: readonly Support[], key: string): Support | undefined {
  for (const support of supports) if (support.key === key) return support
  return undefined
}

/** Terms are met from the last to the first, so the first counted one is the last that counts. */
function bear(support: Support, term: Term, standing: Standing, weight: number): void {
  support.count += term.count
  if (standing === 'held') {
    support.held += weight
    return
  }
  if (support.weight === 0) support.last = term
  support.weight += weight
}

interface Reading {
  readonly term: Term
  readonly number: number
  readonly weight: number
  readonly held: boolean
}

/**
 * Supports of numbers: those within the tolerance of each other speak for one value, their weighted mean. The best
 * supported number gathers its neighbours first, then the best of what is left, and so on: 10 and 1000 are not 505.
 */
export function supportsByNearness(
  { terms, field }: FieldEvidence,
  standing: readonly Standing[],
  weights: Weights,
): Support[] {
  let left: Reading[] = []
  for (const [i, term] of terms.entries()) {
    const weight = weights.of[i] as number
    if (weight > 0 && !term.denies)
      left.push({ term, number: term.value as number, weight, held: standing[i] === 'held' })
  }
  left.sort((a, b) => a.number - b.number)
  const supports: Support[] = []
  while (left.length > 0 && supports.length < MAX_CLUSTERS) {
    const center = bestSupported(left, field.tolerance)
    const near = left.filter(reading => Math.abs(reading.number - center.number) <= field.tolerance)
    supports.push(gather(center, near))
    left = left.filter(reading => Math.abs(reading.number - center.number) > field.tolerance)
  }
  return supports
}

/** Numbers past this many groups are too far down to be shown as alternatives. */
const MAX_CLUSTERS = 16

const TIE = 1e-9

/** Among readings sorted by number, the one whose neighbourhood weighs most; of equals, the latest said. */
function bestSupported(readings: readonly Reading[], tolerance: number): Reading {
  const around = neighbourhoods(readings, tolerance)
  const most = around.reduce((a, b) => Math.max(a, b), 0)
  let best: Reading | undefined
  for (const [i, reading] of readings.entries())
    if ((around[i] as number) >= most * (1 - TIE) && (!best || compare(reading.term, best.term) > 0)) best = reading
  return best as Reading
}

/** Each reading's counted weight within the tolerance; where nothing counts, the held weight. */
function neighbourhoods(readings: readonly Reading[], tolerance: number): number[] {
  const anyCounted = readings.some(reading => !reading.held)
  const upTo = [0]
  for (const { weight, held } of readings) upTo.push((upTo.at(-1) as number) + (held && anyCounted ? 0 : weight))
  let from = 0
  let to = 0
  return readings.map(({ number }) => {
    while (number - (readings[from] as Reading).number > tolerance) from++
    while (to < readings.length && (readings[to] as Reading).number - number <= tolerance) to++
    return (upTo[to] as number) - (upTo[from] as number)
  })
}

function gather(center: Reading, near: readonly Reading[]): Support {
  const ordered = near.toSorted((a, b) => compare(b.term, a.term))
  const support: Support = {
    key: center.term.key,
    value: center.number,
    weight: 0,
    held: 0,
    last: center.term,
    count: 0,
  }
  let offset = 0
  for (const { term, number, weight, held } of ordered) {
    bear(support, term, held ? 'held' : 'counted', weight)
    if (!held) offset += weight * (number - center.number)
  }
  if (support.weight > 0) support.value = center.number + offset / support.weight
  return support
}

/**
 * Supports of texts and records: the last word stands alone, the reader's own task before others. What other values
 * weigh only matters for showing that they were said.
 */
export function supportsByLatest(
  evidence: FieldEvidence,
  standing: readonly Standing[],
  weights: Weights,
  task: string,
): Support[] {
  const supports = supportsByValue(evidence, standing, weights)
  const stands = standingWord(evidence, standing, task)
  if (stands < 0) return supports
  const weight = weights.of[stands] as number
  if (weight === 0) return supports.filter(support => support.weight === 0)
  const term = evidence.terms[stands] as Term
  const others = supports.filter(support => support.key !== term.key)
  return [{ key: term.key, value: term.value, weight, held: 0, last: term, count: 1 }, ...others]
}

/**
 * Of texts and records: the position of the word that stands, or -1. It does not depend on the time: once that word is
 * gone nothing is believed, rather than what another task said, and what is held is shown as it would be without it.
 */
export function standingWord({ field, terms }: FieldEvidence, standing: readonly Standing[], task: string): number {
  const counts = (term: Term, i: number) => standing[i] === 'counted' && !term.denies && term.weight > 0
  const own = terms.findLastIndex((term, i) => counts(term, i) && (!field.taskBound || term.task === task))
  return own >= 0 || field.carry === 0 ? own : terms.findLastIndex(counts)
}
