import { inquired } from '../../model/handoff/inquiry.ts'
import type { HandoffSeen } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import type { Docket } from '../handoff/docket.ts'
import type { Kept } from '../handoff/kept.ts'
import { summaryOf } from '../handoff/summary.ts'
import { askedIn } from '../quality/repeat.ts'
import type { Desk } from './desk.ts'

/** A change by which a holder tells, among other things, what it asks for. Once it is durable, that is counted. */
export async function inquiring(
  desk: Desk,
  session: Session,
  id: string,
  act: (docket: Docket) => Kept,
): Promise<HandoffSeen> {
  const { authority, onSought, now } = desk.house
  const user = desk.keeper.whose(id)
  const { seen, sought } = await desk.rooms.with(desk.personOf(session, user), room =>
    desk.keeper.change(user, docket => {
      const known = inquired(docket.get(id).handoff)
      const { handoff } = act(docket)
      const fields = inquired(handoff).filter(field => !known.includes(field))
      const task = docket.work(handoff.work).task ?? ''
      const asking = { agent: session.agent, role: session.role, handoff, task }
      return { seen: summaryOf(handoff), sought: askedIn(authority, asking, fields, room.model, docket.now) }
    }),
  )
  for (const each of sought) onSought?.(each, now())
  return seen
}
