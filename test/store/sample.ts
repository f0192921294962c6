import type { Word } from '../../model/evidence.ts'
import type { Claim, Commit } from '../../server/store/archive.ts'
import type { Outcome } from '../../server/store/outcome.ts'

export const ADMITTED: Outcome = { status: 'admitted' }

export const word = (id: string, seq: number, value = 'frustrated'): Word => ({
  type: 'word',
  id,
  field: 'emotion.state',
  value,
  confidence: 0.9,
  trust: 1,
  rank: 0,
  basis: 'heard',
  agent: 'a',
  role: 'support',
  interaction: 'i',
  episode: 'e',
  at: seq,
  received: seq,
  seq,
})

export const claims = (ids: readonly string[]): Claim[] => ids.map(id => ({ agent: 'a', id }))

/** Admits each id that the ledger does not know, as one word of that id; answers with the outcome of each. */
export const admitting =
  (ids: readonly string[], time = 1): Commit<(Outcome | undefined)[]> =>
  (head, known) => {
    const fresh = ids.filter((_, index) => !known[index])
    return {
      evidence: fresh.map((id, index) => word(id, head.seq + index + 1)),
      outcomes: fresh.map(id => ({ agent: 'a', id, outcome: ADMITTED, time })),
      tallies: fresh.map(() => ({ agent: 'a', claimed: 1, delivered: 1 })),
      result: ids.map((_, index) => known[index] ?? ADMITTED),
    }
  }
