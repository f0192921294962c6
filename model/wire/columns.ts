import type { Belief, Element } from '../belief.ts'
import type { Alternative, Status } from '../opinion.ts'
import type { Json } from '../value.ts'
import type { View } from '../view.ts'

/**
 * A view as parallel arrays: a third of the bytes of one object for each belief, and a fifth of the time to parse. What
 * most beliefs lack (denials, spread, elements) is listed by position for those that have it; alternatives are columns
 * of their own, each with the position of its belief.
 *
 *     {"field":["emotion.state","need.issue"],"value":["calm","refund"],…,"status":"fg","contested":[1],
 *      "alternatives":{"of":[1],"value":["login"],"confidence":[0.2],"held":[0]},…}
 */
export interface Columns {
  readonly field: readonly string[]
  readonly value: readonly Json[]
  readonly confidence: readonly number[]
  readonly uncertainty: readonly number[]
  /** A letter for each: f(resh), g (fading: it goes), s(tale). */
  readonly status: string
  readonly contested: readonly number[]
  readonly lastSeen: readonly number[]
  readonly evidence: readonly number[]
  readonly alternatives: AlternativeColumns
  readonly denied: Sparse<readonly Json[]>
  readonly spread: Sparse<number>
  readonly elements: Sparse<readonly Element[]>
}

/** Ordered by the belief they belong to, and within it as listed there. */
export interface AlternativeColumns {
  readonly of: readonly number[]
  readonly value: readonly Json[]
  readonly confidence: readonly number[]
  readonly held: readonly number[]
}

export interface Sparse<T> {
  readonly [position: string]: T
}

const LETTER: Record<Status, string> = { fresh: 'f', fading: 'g', stale: 's' }
const STATUS: Readonly<Record<string, Status>> = { f: 'fresh', g: 'fading', s: 'stale' }
const NONE: readonly never[] = Object.freeze([])

/** Shares travel with twelve decimals: what lies beyond is noise of arithmetic, and a quarter of the bytes. */
const short = (share: number): number => Math.round(share * 1e12) / 1e12

export function columnsOf(view: View): Columns {
  const [field, value, confidence, uncertainty]: [string[], Json[], number[], number[]] = [[], [], [], []]
  const [lastSeen, evidence, contested]: [number[], number[], number[]] = [[], [], []]
  const alternatives = { of: [] as number[], value: [] as Json[], confidence: [] as number[], held: [] as number[] }
  const denied: Record<string, readonly Json[]> = {}
  const spread: Record<string, number> = {}
  const elements: Record<string, readonly Element[]> = {}
  let status = ''
  for (const [name, belief] of view) {
    const at = field.length
    field.push(name)
    value.push(belief.value)
    confidence.push(short(belief.confidence))
    uncertainty.push(short(belief.uncertainty))
    lastSeen.push(belief.lastSeen)
    evidence.push(belief.evidence)
    status += LETTER[belief.status]
    if (belief.contested) contested.push(at)
    for (const alternative of belief.alternatives) {
      alternatives.of.push(at)
      alternatives.value.push(alternative.value)
      alternatives.confidence.push(short(alternative.confidence))
      alternatives.held.push(short(alternative.held))
    }
    if (belief.denied.length > 0) denied[at] = belief.denied
    if (belief.spread !== undefined) spread[at] = belief.spread
    if (belief.elements) elements[at] = belief.elements
  }
  return {
    field,
    value,
    confidence,
    uncertainty,
    status,
    contested,
    lastSeen,
    evidence,
    alternatives,
    denied,
    spread,
    elements,
  }
}

export const viewOf = (columns: Columns): View =>
  new Map(columns.field.map((name, at) => [name, beliefAt(columns, at)]))

/** One belief of many, for readers that need few of them. */
export function beliefAt(columns: Columns, at: number): Belief {
  const spread = columns.spread[at]
  const elements = columns.elements[at]
  return {
    value: columns.value[at] as Json,
    confidence: columns.confidence[at] as number,
    uncertainty: columns.uncertainty[at] as number,
    status: STATUS[columns.status.charAt(at)] as Status,
    contested: columns.contested.includes(at),
    alternatives: alternativesAt(columns.alternatives, at),
    denied: columns.denied[at] ?? NONE,
    lastSeen: columns.lastSeen[at] as number,
    evidence: columns.evidence[at] as number,
    ...(spread !== undefined && { spread }),
    ...(elements && { elements }),
  }
}

function alternativesAt({ of, value, confidence, held }: AlternativeColumns, at: number): readonly Alternative[] {
  let place = firstOf(of, at)
  if (of[place] !== at) return NONE
  const found: Alternative[] = []
  for (; of[place] === at; place++)
    found.push({ value: value[place] as Json, confidence: confidence[place] as number, held: held[place] as number })
  return found
}

/** The first place in an ascending list that is not below `at`. */
function firstOf(of: readonly number[], at: number): number {
  let [low, high] = [0, of.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((of[middle] as number) < at) low = middle + 1
    else high = middle
  }
  return low
}
