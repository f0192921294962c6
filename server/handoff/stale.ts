import type { Scope } from '../../model/scope.ts'
import type { View } from '../../model/view.ts'
import type { StaleMark } from '../../model/wire/handoff.ts'
import { valuesIn } from './delivery.ts'
import type { ServedPaper } from './kept.ts'

const MOST = 256

/** What a holder was shown and is no longer so, as far as a scope may read it. */
export function staleIn(paper: ServedPaper | undefined, view: View, scope: Scope): StaleMark[] {
  if (!paper) return []
  const marks = [...valuesIn(paper, scope)].flatMap(([field, before]): StaleMark[] => {
    if (before === null) return []
    const belief = view.get(field)
    const now = belief?.value ?? null
    if (JSON.stringify(now) !== JSON.stringify(before)) return [{ field, before, now, why: 'changed' }]
    return belief?.status === 'stale' ? [{ field, before, now, why: 'faded' }] : []
  })
  return marks.slice(0, MOST)
}
