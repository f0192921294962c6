import { SelfsameError } from '../../model/error.ts'
import { driftOf } from '../../model/handoff/drift.ts'
import type { Target } from '../../model/handoff/party.ts'
import { cyclesIn } from '../../model/handoff/section.ts'
import type { Session } from '../access/session.ts'
import { partyOf } from '../handoff/counter.ts'
import type { Docket } from '../handoff/docket.ts'
import type { Kept } from '../handoff/kept.ts'
import type { Desk } from './desk.ts'
import type { HandRequest } from './handoff-request.ts'
import { hopsOf } from './passing.ts'

/** What a hop may not do. It is refused, and stays to be seen in what happened to the handoff. */
export function refusedOf(
  desk: Desk,
  session: Session,
  docket: Docket,
  request: HandRequest,
  to: readonly Target[],
): SelfsameError | undefined {
  const { handoff, epoch, mode } = request
  const by = partyOf(session)
  const held = docket.get(handoff)
  const drift = driftIn(docket, held, request)
  if (drift) docket.step(handoff, { type: 'drift', by, epoch, why: drift.message })
  const loop = drift ? undefined : loopIn(desk, held, session, to)
  if (loop) docket.step(handoff, { type: 'loop', by, epoch, path: loop.message, ends: mode === 'choreographed' })
  return drift ?? loop
}

function driftIn(docket: Docket, { handoff }: Kept, { restated = {}, grant }: HandRequest): SelfsameError | undefined {
  const details = driftOf(docket.work(handoff.work), handoff.grant, restated, grant)
  if (details.length === 0) return undefined
  const named = details.map(({ path, message }) => `${path}: ${message}`).join('; ')
  return new SelfsameError({
    code: 'drift',
    message: `What stays as it is down the chain would change: ${named}.`,
    details,
  })
}

/** Names the way that work went which is handed on once too often. */
export function loopIn(
  { house }: Desk,
  held: Kept,
  session: Session,
  [to]: readonly Target[],
): SelfsameError | undefined {
  const { hops } = house.limits
  if (held.handoff.hop + 1 <= hops) return undefined
  const agents = [...hopsOf(held).map(({ agent }) => agent), session.agent]
  const path = [...agents, to?.agent ?? to?.role ?? ''].join(' → ')
  const cycles = cyclesIn(agents)
  const details = [
    { path: 'hops', message: path },
    ...(cycles.length > 0 ? [{ path: 'cycles', message: cycles.join(', ') }] : []),
  ]
  return new SelfsameError({ code: 'hop_limit', message: `Work is handed on at most ${hops} times: ${path}.`, details })
}
