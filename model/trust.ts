import { possibilities } from './field.ts'
import type { FieldEvidence } from './field-evidence.ts'
import { standings } from './standing.ts'
import { sameValue, type Term } from './term.ts'

/** What an agent claimed in words that a person later settled, and what of it proved right. */
export interface TrackRecord {
  readonly claimed: number
  readonly delivered: number
}

/** How many words' worth of the role's own trust a record starts from. */
const PRIOR = 4

/**
 * Trust = what was delivered ÷ what was claimed. A right word delivers 1; a wrong one costs what guessing among the k
 * values would have cost, 1/(k−1), so that an agent that guesses ends at 0 and one that is as sure as it is right at 1.
 */
export const trustOf = (record: TrackRecord, start = 1): number =>
  Math.min(1, Math.max(0, (PRIOR * start + record.delivered) / (PRIOR + record.claimed)))

export const NO_RECORD: TrackRecord = { claimed: 0, delivered: 0 }

export const addRecords = (a: TrackRecord, b: TrackRecord): TrackRecord => ({
  claimed: a.claimed + b.claimed,
  delivered: a.delivered + b.delivered,
})

/** The record of every agent that a person's later word in this field proved right or wrong. */
export function recordsOf(evidence: FieldEvidence): Map<string, TrackRecord> {
  const { field, terms } = evidence
  const records = new Map<string, TrackRecord>()
  if (evidence.people === 0) return records
  const standing = standings(evidence)
  const wrong = -1 / (possibilities(field) - 1)
  const judges: Term[] = []
  for (let i = terms.length - 1; i >= 0; i--) {
    const term = terms[i] as Term
    if (standing[i] === 'superseded' || standing[i] === 'retracted' || term.echo) continue
    const verdict = firstVerdict(evidence, judges, term)
    if (verdict !== undefined) {
      const delivered = verdict ? term.count : term.count * wrong
      records.set(term.agent, addRecords(records.get(term.agent) ?? NO_RECORD, { claimed: term.claimed, delivered }))
    }
    if (term.rank === 1 && standing[i] === 'counted') judges.push(term)
  }
  return records
}

/** The last person who judges a word decides. Nobody judges themselves. */
function firstVerdict(evidence: FieldEvidence, judges: readonly Term[], term: Term): boolean | undefined {
  for (const judge of judges) {
    if (judge.agent === term.agent || judge.task !== term.task || judge.element !== term.element) continue
    const verdict = verdictOf(evidence, judge, term)
    if (verdict !== undefined) return verdict
  }
  return undefined
}

/** An assertion proves every other value wrong; a denial only the value it denies. */
function verdictOf({ field }: FieldEvidence, judge: Term, term: Term): boolean | undefined {
  const same = sameValue(field, judge, term)
  if (!judge.denies && !term.denies) return same
  if (judge.denies && term.denies) return undefined
  return same ? false : undefined
}
