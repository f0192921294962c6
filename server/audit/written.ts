import type { ItemOutcome } from '../../model/wire/frame.ts'
import type { Submission } from '../room/commit.ts'
import { DENIALS } from './denial.ts'
import type { Journal } from './journal.ts'

/** Notes of whom something was said and of which fields; and, apart from it, what was refused as not theirs to say. */
export function noteWritten(
  journal: Journal,
  user: string,
  { session, items, under }: Submission,
  outcomes: readonly ItemOutcome[],
): void {
  const handoff = under ? { handoff: under.handoff } : {}
  const admitted = items.filter((_, i) => outcomes[i]?.status !== 'refused')
  const fields = [...new Set(admitted.flatMap(({ field }) => field ?? []))]
  const what = items[0]?.kind ?? 'observation'
  if (admitted.length > 0) journal.did(session, user, 'write', { what, fields, count: admitted.length, ...handoff })
  const denied = outcomes.flatMap(({ error }) => (error && DENIALS.has(error.code) ? error.code : []))
  for (const code of new Set(denied)) journal.did(session, user, 'denial', { what, code, ...handoff })
}
