import { ok, type Result, refuse } from '../error.ts'
import type { Handoff, State } from './handoff.ts'
import { log } from './log.ts'
import type { Party } from './party.ts'

/** A person takes work from whoever has it, or from nobody. */
export interface TakeOver {
  readonly type: 'takeOver'
  readonly by: Party
  readonly request: string
  /** The epoch in which they saw it: of many who take it over from there, the first wins. */
  readonly over: number
  readonly expires: number
}

export function takeOver(handoff: Handoff, { by, request, over, expires }: TakeOver, now: number): Result<Handoff> {
  const { state, epoch, policy, grant } = handoff
  const { agent, role } = by
  if (state.name === 'accepted' && state.holder.agent === agent && state.holder.request === request) return ok(handoff)
  if (epoch !== over) return refuse('handoff_taken', 'Someone else has taken it meanwhile.')
  if (state.name !== 'offered' && state.name !== 'accepted' && state.name !== 'parked')
    return refuse('bad_state', `It is ${state.name} and can't be taken over now.`)
  const { revoked: _, ...kept } = grant
  const taken: Handoff = {
    ...handoff,
    epoch: epoch + 1,
    state: { name: 'accepted', holder: { agent, role, request }, lease: now + policy.lease },
    grant: { ...kept, expires, by: agent },
    lapses: 0,
  }
  return ok(log(taken, { at: now, what: 'accepted', by: agent, why: `taken over from ${holderIn(state)}` }))
}

const holderIn = (state: State): string => (state.name === 'accepted' ? state.holder.agent : 'nobody')
