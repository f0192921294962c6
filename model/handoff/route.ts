import type { Handoff } from './handoff.ts'
import { log } from './log.ts'
import type { Target } from './party.ts'
import { hold, offer } from './step.ts'

/** Whether a delivery may go to a target now. */
export type Passes = (target: Target, handoff: string) => boolean

/**
 * A delivery that would go where nobody answers goes to the next target that takes it; where there is none it is held, and
 * is no delivery. A part of a broadcast has no other target and is delivered until its deadline.
 */
export function routed(handoff: Handoff, passes: Passes, now: number, chance: number): Handoff {
  const { state, targets, broadcast } = handoff
  const to = state.name === 'offered' && state.attempt > 0 ? targets[state.target] : undefined
  if (state.name !== 'offered' || !to || broadcast !== undefined || passes(to, handoff.id)) return handoff
  const avoided = log({ ...handoff, events: handoff.events.slice(0, -1) }, { at: now, what: 'avoided', to })
  const other = targets.findIndex((target, i) => i > state.target && passes(target, handoff.id))
  return other < 0 ? hold(avoided, state.target, now) : offer(avoided, other, 1, now, chance)
}
