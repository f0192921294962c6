import { compare } from './evidence.ts'
import type { Field } from './field.ts'
import type { Support } from './support.ts'
import { sameValue, type Term, W } from './term.ts'
import type { Json } from './value.ts'
import { fading } from './weight.ts'

export type Status = 'fresh' | 'fading' | 'stale'

export interface Alternative {
  readonly value: Json
  readonly confidence: number
  /** Share it would have if the words that a person's word holds back counted; 0 when none are. */
  readonly held: number
}

/** A value, how sure we are of it now, and what speaks against it. */
export interface Opinion {
  /** null when nothing is believed, only denied or held back. */
  readonly value: Json
  readonly confidence: number
  readonly uncertainty: number
  readonly status: Status
  readonly contested: boolean
  readonly alternatives: readonly Alternative[]
  readonly denied: readonly Json[]
  readonly lastSeen: number
  readonly evidence: number
}

/** The moment of reading: what is left of the weights, which are as of `asOf`. */
export interface Now {
  readonly scale: number
  readonly asOf: number
  readonly time: number
}

const FRESH = 0.9
const FADING = 0.5
const TIE = 1e-9
const MAX_ALTERNATIVES = 16
const NONE: readonly never[] = Object.freeze([])

/**
 * Confidence of a value = its weight ÷ (W + all weight); uncertainty = W ÷ the same. Where each value weighs by itself
 * (`total` is 'own': texts and records), the first support that counts is the one, and all weight is its own.
 */
export function opinionOf(
  field: Field,
  now: Now,
  supports: readonly Support[],
  total: number | 'own',
  denials: readonly Term[],
): Opinion | undefined {
  const top = total === 'own' ? supports.find(support => support.weight > 0) : strongest(supports)
  const denied = denials.length === 0 ? NONE : denials.filter(term => isListed(field, now, term, top))
  if (!top) return denied.length + supports.length === 0 ? undefined : nothingBelieved(field, now, supports, denied)
  const mass = (support: Support) => (total === 'own' ? support.weight : total)
  const all = mass(top)
  const below = W + now.scale * all
  return {
    value: top.value,
    confidence: (now.scale * top.weight) / below,
    uncertainty: W / below,
    status: statusOf(field, now, top.last.at, all),
    contested: supports.length > 1 && isContested(field, supports, top),
    alternatives: supports.length > 1 ? alternatives(now, supports, top, mass) : NONE,
    denied: denied.length === 0 ? NONE : valuesOf(denied),
    lastSeen: top.last.at,
    evidence: countOf(supports),
  }
}

/** The same words, added up in another order, differ in the last bits: these decide nothing. */
const isAtLeast = (value: number, bound: number): boolean => value >= bound * (1 - TIE)

/** The heaviest; of those within a billionth of it, the one spoken for last. */
function strongest(supports: readonly Support[]): Support | undefined {
  let most = 0
  for (const support of supports) if (support.weight > most) most = support.weight
  let top: Support | undefined
  for (const support of supports) {
    if (support.weight === 0 || !isAtLeast(support.weight, most)) continue
    if (!top || compare(support.last, top.last) > 0) top = support
  }
  return top
}

/**
 * Confidence now ÷ confidence when the value was last seen. With weights R of all as of `asOf` and g the scale of a
 * moment, confidence is g·r/(W+g·R), so the quotient needs only the two scales.
 */
function statusOf(field: Field, now: Now, lastSeen: number, all: number): Status {
  const then = fading(lastSeen - now.asOf, field.halfLife)
  const left = (now.scale / then) * ((W + then * all) / (W + now.scale * all))
  return isAtLeast(left, FRESH) ? 'fresh' : isAtLeast(left, FADING) ? 'fading' : 'stale'
}

function isContested(field: Field, supports: readonly Support[], top: Support): boolean {
  for (const support of supports)
    if (support !== top && isAtLeast(support.weight + support.held, field.contested * top.weight)) return true
  return false
}

function alternatives(
  { scale }: Now,
  supports: readonly Support[],
  top: Support | undefined,
  mass: (support: Support) => number,
): readonly Alternative[] {
  return supports
    .filter(support => support !== top)
    .sort((a, b) => b.weight + b.held - (a.weight + a.held) || compare(b.last, a.last))
    .slice(0, MAX_ALTERNATIVES)
    .map(support => ({
      value: support.value,
      confidence: (scale * support.weight) / (W + scale * mass(support)),
      held: (scale * support.held) / (W + scale * (mass(support) + support.held)),
    }))
}

/** A denial is listed until it is stale itself, or what it denies is believed again. */
const isListed = (field: Field, now: Now, denial: Term, top: Support | undefined): boolean =>
  !(top && sameValue(field, denial, top.last)) && statusOfDenial(field, now, denial) !== 'stale'

function statusOfDenial(field: Field, { time }: Now, denial: Term): Status {
  const scale = fading(Math.max(0, time - denial.at), field.halfLife)
  return statusOf(field, { scale, asOf: denial.at, time }, denial.at, denial.weight)
}

/** Of several that make up one belief. The best only worsens while each does; that of the last to be listed may not. */
export const freshest = (statuses: readonly Status[]): Status =>
  statuses.includes('fresh') ? 'fresh' : statuses.includes('fading') ? 'fading' : 'stale'

const valuesOf = (denied: readonly Term[]): Json[] => [...new Map(denied.map(term => [term.key, term.value])).values()]

/** Nothing is believed: what a person denied is listed; what agents said against it is held back, and shown. */
function nothingBelieved(field: Field, now: Now, supports: readonly Support[], denied: readonly Term[]): Opinion {
  const denial = denied.at(-1)
  const heldLast = supports.reduce((last, support) => Math.max(last, support.last.at), 0)
  return {
    value: null,
    confidence: 0,
    uncertainty: 1,
    status: freshest(denied.map(term => statusOfDenial(field, now, term))),
    contested: supports.some(support => support.held > 0),
    alternatives: alternatives(now, supports, undefined, () => 0),
    denied: valuesOf(denied),
    lastSeen: denial?.at ?? heldLast,
    evidence: denied.length + countOf(supports),
  }
}

const countOf = (supports: readonly Support[]): number => {
  let count = 0
  for (const support of supports) count += support.count
  return count
}
