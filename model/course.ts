import { believe } from './belief.ts'
import type { FieldEvidence } from './field-evidence.ts'
import type { Json } from './value.ts'

/** What was believed at one time, and from now on what will be if nothing more is said. */
export interface Moment {
  readonly at: number
  readonly value: Json
  readonly confidence: number
}

const STEPS = 48
const MAX_TURNS = 48
const DAY = 86_400_000
/** How far ahead, in half-lives; what never fades is shown for some days more. */
const AHEAD = 2
const AHEAD_OF_LASTING = 7 * DAY

/**
 * How a belief came to be what it is and how it will fade: at each turn, when a word arrived or was taken back, just before
 * it, and evenly in between. Each moment is computed from what had arrived by then.
 */
export function courseOf(evidence: FieldEvidence, now: number, task = ''): Moment[] {
  const turns = evidence.arrivals().filter(at => at <= now)
  const first = turns[0]
  if (first === undefined) return []
  const { halfLife } = evidence.field
  const end = now + (Number.isFinite(halfLife) ? Math.max(AHEAD * halfLife, (now - first) / 2) : AHEAD_OF_LASTING)
  const even = Array.from({ length: STEPS }, (_, i) => Math.round(first + ((end - first) * i) / (STEPS - 1)))
  const around = turns.slice(-MAX_TURNS).flatMap(at => [at - 1, at])
  const times = [...new Set([...even, ...around, now])].filter(at => at >= first).sort((a, b) => a - b)
  return times.map(at => {
    const belief = believe(evidence.upTo(Math.min(at, now)), at, task)
    return { at, value: belief?.value ?? null, confidence: belief?.confidence ?? 0 }
  })
}
