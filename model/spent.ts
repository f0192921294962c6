import type { FieldEvidence } from './field-evidence.ts'
import { standings } from './standing.ts'

/**
 * The words of a field that no longer matter to anybody: superseded or taken back. Beliefs are the same without them, as
 * long as all of them go together. One that keeps down a part of a pack or sum has to stay: what it superseded there
 * would return.
 */
export function spent(evidence: FieldEvidence): ReadonlySet<string> {
  const gone = new Set<string>()
  if (!evidence.hasRepetition && evidence.recalls.length === 0) return gone
  const folded = registersOfFolds(evidence)
  for (const [i, standing] of standings(evidence).entries()) {
    const term = evidence.terms[i]
    if (term?.carrier.type !== 'word') continue
    if (standing !== 'superseded' && standing !== 'retracted') continue
    if (!evidence.registers(term).some(register => folded.has(register))) gone.add(term.carrier.id)
  }
  return gone
}

function registersOfFolds(evidence: FieldEvidence): ReadonlySet<number> {
  const folds = evidence.terms.filter(term => term.carrier.type !== 'word')
  return new Set(folds.flatMap(term => evidence.registers(term)))
}
