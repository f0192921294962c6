import { type Belief, beliefOf } from './belief.ts'
import type { Part, Sum, Word } from './evidence.ts'
import { type Field, isFused } from './field.ts'
import type { FieldEvidence } from './field-evidence.ts'
import type { Recall } from './retraction.ts'
import { type Standing, standings } from './standing.ts'
import { standingWord } from './support.ts'
import { type Term, W } from './term.ts'
import type { Json } from './value.ts'
import { fading, type Weights, weigh } from './weight.ts'

/** One word under a belief: what it said, what became of it and why, and how much of the belief it is now. */
export interface Explained {
  readonly evidence: Word | Part | Sum
  readonly agent: string
  readonly value: Json
  readonly not: boolean
  readonly standing: Standing
  readonly reason: string
  /** The word or retraction that is responsible, where it is someone's doing. */
  readonly by?: string
  /** Its part of the confidence; the shares of a value add up to the value's confidence. */
  readonly share: number
}

export interface Explanation {
  readonly belief: Belief | undefined
  /** In the order they were said. */
  readonly words: readonly Explained[]
}

export function explain(evidence: FieldEvidence, time: number, task = ''): Explanation {
  const by: (Term | Recall | undefined)[] = []
  const standing = standings(evidence, by)
  const weights = weigh(evidence, standing, time, task)
  const belief = beliefOf(evidence, standing, weights, time, task)
  const share = shares(evidence, standing, weights, time, task)
  const words = evidence.terms.map((term, i): Explained => {
    const said = saidBy(evidence.field, term)
    const responsible = by[i]
    return {
      evidence: term.evidence,
      agent: term.agent,
      value: said.value,
      not: said.not,
      standing: standing[i] as Standing,
      reason: reasonOf(term, standing[i] as Standing, weights.of[i] as number),
      ...(responsible && { by: responsible.id }),
      share: belief ? share(i) : 0,
    }
  })
  return { belief, words }
}

/** Of a set the term's value is whether the element is in it; people read the element. */
const saidBy = (field: Field, term: Term): { value: Json; not: boolean } =>
  field.kind === 'set' ? { value: term.element, not: term.value === false } : { value: term.value, not: term.denies }

/** A word's part of its value's confidence. Of a text's equal words only the one that stands has one. */
function shares(
  evidence: FieldEvidence,
  standing: readonly Standing[],
  weights: Weights,
  time: number,
  task: string,
): (i: number) => number {
  const { field, terms } = evidence
  const scale = fading(Math.max(0, time - weights.asOf), field.halfLife)
  const stands = isFused(field) ? -1 : standingWord(evidence, standing, task)
  if (stands >= 0 && weights.of[stands] === 0) return () => 0
  const counts = (i: number) =>
    standing[i] === 'counted' && (i === stands || (terms[i] as Term).key !== terms[stands]?.key)
  const rivals = ({ element, key }: Term) => (isFused(field) ? element : key)
  const totals = new Map<string, number>()
  for (const [i, term] of terms.entries())
    if (counts(i)) totals.set(rivals(term), (totals.get(rivals(term)) ?? 0) + (weights.of[i] as number))
  return i => {
    if (!counts(i)) return 0
    const all = totals.get(rivals(terms[i] as Term)) as number
    return (scale * (weights.of[i] as number)) / (W + scale * all)
  }
}

function reasonOf(term: Term, standing: Standing, weight: number): string {
  switch (standing) {
    case 'counted':
      if (term.denies) return term.rank === 1 ? 'A person denied the value.' : 'A doubt too weak to settle anything.'
      if (weight === 0) return 'It has faded beside newer words, or a stronger word of another task speaks for it.'
      return term.rank === 1 ? 'A person said so.' : 'It counts by its confidence, trust and age.'
    case 'held':
      return "It disagrees with a person's word that still holds: it is shown beside it and not counted."
    case 'void':
      return 'A person said otherwise later.'
    case 'echo':
      return 'The agent restated what it had been served, which adds nothing.'
    case 'superseded':
      return 'The same agent said something later in the same episode, or it is part of a sum.'
    case 'retracted':
      return 'It was taken back.'
  }
}
