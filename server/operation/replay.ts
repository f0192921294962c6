import { SelfsameError } from '../../model/error.ts'
import type { Target } from '../../model/handoff/party.ts'
import { isPerson } from '../../model/role.ts'
import type { Session } from '../access/session.ts'
import type { Kept } from '../handoff/kept.ts'
import type { Desk } from './desk.ts'
import type { ReplayAllRequest } from './handoff-request.ts'
import { resend } from './holding.ts'
import { past } from './past.ts'

const MOST = 500

export interface Replayed {
  readonly replayed: readonly string[]
  /** Where the next page begins; null: that was all. */
  readonly next: string | null
}

/**
 * A person sends all that is parked or failed on its way again, page by page. They wait their turn and are delivered some at
 * a time. What is on its way already is not there to be found, so asking again changes nothing.
 */
export async function replayAll(desk: Desk, session: Session, request: ReplayAllRequest): Promise<Replayed> {
  if (!isPerson(session.role)) throw new SelfsameError({ code: 'forbidden', message: 'Only people replay.' })
  const { state = 'parked', target, why, limit = MOST, after, to, ttl } = request
  const isMeant = ({ handoff }: Kept) =>
    handoff.state.name === state &&
    (target === undefined || handoff.targets.some(each => isOf(each, target))) &&
    (why === undefined || ('why' in handoff.state && handoff.state.why === why)) &&
    handoff.broadcast === undefined
  const { found, next } =
    state === 'parked' ? parked(desk, session, isMeant, limit) : past(desk, session, isMeant, limit, after)
  const replayed: string[] = []
  for (const { handoff } of found)
    if (await resend(desk, session, { handoff: handoff.id, to, ttl })) replayed.push(handoff.id)
  return { replayed, next }
}

/** The oldest first. What is replayed is no longer parked, so that the next page begins where this one does. */
function parked(desk: Desk, session: Session, isMeant: (kept: Kept) => boolean, limit: number) {
  const all = [...desk.keeper.open].filter(kept => isMeant(kept) && desk.house.authority.scope(session, kept.user).ok)
  const found = all.sort((a, b) => a.handoff.made - b.handoff.made).slice(0, limit)
  return { found, next: all.length > limit ? 'more' : null }
}

const isOf = (each: Target, wanted: Target): boolean =>
  each.role === wanted.role && (wanted.agent === undefined || each.agent === wanted.agent)
