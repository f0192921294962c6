import type { FieldEvidence } from './field-evidence.ts'
import { freshest, type Now, type Opinion, opinionOf, type Status } from './opinion.ts'
import { type Standing, standings } from './standing.ts'
import { type Support, supportsByLatest, supportsByNearness, supportsByValue } from './support.ts'
import type { Term } from './term.ts'
import { fading, type Weights, weigh } from './weight.ts'

/** What the evidence for one field adds up to at a time. Derived at every read, never stored as truth. */
export interface Belief extends Opinion {
  /** Of numbers: the standard deviation over all that counts. */
  readonly spread?: number
  /** Of sets: what is known of each element. `value` lists those that are in it, `denied` those that are not. */
  readonly elements?: readonly Element[]
}

export interface Element {
  readonly value: string
  readonly in: boolean
  readonly confidence: number
  readonly uncertainty: number
  readonly status: Status
  readonly contested: boolean
  readonly lastSeen: number
  readonly evidence: number
}

/** The belief of one field at a time, for a reader on a task; undefined when nothing is believed or denied. */
export const believe = (evidence: FieldEvidence, time: number, task = ''): Belief | undefined => {
  const standing = standings(evidence)
  return beliefOf(evidence, standing, weigh(evidence, standing, time, task), time, task)
}

export function beliefOf(
  evidence: FieldEvidence,
  standing: readonly Standing[],
  weights: Weights,
  time: number,
  task: string,
): Belief | undefined {
  const { field } = evidence
  const now = { scale: fading(Math.max(0, time - weights.asOf), field.halfLife), asOf: weights.asOf, time }
  switch (field.kind) {
    case 'choice':
    case 'flag': {
      const supports = supportsByValue(evidence, standing, weights)
      return opinionOf(field, now, supports, totalOf(supports), denials(evidence, standing))
    }
    case 'number': {
      const supports = supportsByNearness(evidence, standing, weights)
      const total = totalCounted(evidence, standing, weights)
      const opinion = opinionOf(field, now, supports, total, denials(evidence, standing))
      return opinion && { ...opinion, spread: spread(evidence, standing, weights) }
    }
    case 'text':
    case 'record': {
      const supports = supportsByLatest(evidence, standing, weights, task)
      return opinionOf(field, now, supports, 'own', denials(evidence, standing))
    }
    case 'set':
      return beliefOfSet(evidence, standing, weights, now)
  }
}

const totalOf = (supports: readonly { weight: number }[]): number => {
  let total = 0
  for (const support of supports) total += support.weight
  return total
}

function totalCounted({ terms }: FieldEvidence, standing: readonly Standing[], weights: Weights): number {
  let total = 0
  for (const [i, term] of terms.entries())
    if (standing[i] === 'counted' && !term.denies) total += weights.of[i] as number
  return total
}

const NO_DENIALS: readonly Term[] = []

/** Only a denial that settles is one: a doubt too weak for that says nothing of any other value either. */
function denials({ terms, people }: FieldEvidence, standing: readonly Standing[]): readonly Term[] {
  if (people === 0) return NO_DENIALS
  return terms.filter((term, i) => term.denies && term.rank === 1 && standing[i] === 'counted')
}

function spread({ terms }: FieldEvidence, standing: readonly Standing[], weights: Weights): number {
  let total = 0
  let mean = 0
  let squares = 0
  for (const [i, term] of terms.entries()) {
    const weight = weights.of[i] as number
    if (standing[i] !== 'counted' || term.denies || weight === 0) continue
    total += weight
    const step = (term.value as number) - mean
    mean += (step * weight) / total
    squares += weight * step * ((term.value as number) - mean)
  }
  return total === 0 ? 0 : Math.sqrt(Math.max(0, squares / total))
}

/** Each element is a flag of its own. The set is as sure as its least sure element, and as fresh as its freshest. */
function beliefOfSet(
  evidence: FieldEvidence,
  standing: readonly Standing[],
  weights: Weights,
  now: Now,
): Belief | undefined {
  const byElement = new Map<string, Support[]>()
  for (const support of supportsByValue(evidence, standing, weights)) {
    const { element } = support.last
    const known = byElement.get(element)
    if (known) known.push(support)
    else byElement.set(element, [support])
  }
  const elements: Element[] = []
  for (const name of [...byElement.keys()].sort()) {
    const supports = byElement.get(name) as Support[]
    const opinion = opinionOf(evidence.field, now, supports, totalOf(supports), NO_DENIALS)
    if (opinion && opinion.value !== null) elements.push(elementOf(name, opinion))
  }
  if (elements.length === 0) return undefined
  const inside = elements.filter(element => element.in)
  const deciding = inside.length > 0 ? inside : elements
  return {
    value: inside.map(element => element.value),
    confidence: least(deciding.map(element => element.confidence)),
    uncertainty: most(deciding.map(element => element.uncertainty)),
    status: freshest(deciding.map(element => element.status)),
    contested: elements.some(element => element.contested),
    alternatives: [],
    denied: elements.filter(element => !element.in).map(element => element.value),
    lastSeen: most(deciding.map(element => element.lastSeen)),
    evidence: elements.reduce((sum, element) => sum + element.evidence, 0),
    elements,
  }
}

const elementOf = (name: string, opinion: Opinion): Element => ({
  value: name,
  in: opinion.value === true,
  confidence: opinion.confidence,
  uncertainty: opinion.uncertainty,
  status: opinion.status,
  contested: opinion.contested,
  lastSeen: opinion.lastSeen,
  evidence: opinion.evidence,
})

const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b))
const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b))

/** How likely the believed value is, ignorance shared out evenly over what it could have been. */
export const probability = (belief: { confidence: number; uncertainty: number }, possibilities: number): number =>
  belief.confidence + belief.uncertainty / possibilities
