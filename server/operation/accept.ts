import { SelfsameError, unwrap } from '../../model/error.ts'
import { holderOf } from '../../model/handoff/handoff.ts'
import { Patterns } from '../../model/pattern.ts'
import { isPerson } from '../../model/role.ts'
import { columnsOf } from '../../model/wire/columns.ts'
import type { Delivery } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { partyOf } from '../handoff/counter.ts'
import { deliveryOf } from '../handoff/delivery.ts'
import type { Docket } from '../handoff/docket.ts'
import { grantOf } from '../handoff/granting.ts'
import { asServed, paperOf } from '../handoff/kept.ts'
import { toldIn } from '../handoff/told.ts'
import type { Room } from '../room/room.ts'
import type { ServedView } from '../room/view-cache.ts'
import type { Desk } from './desk.ts'
import type { AcceptRequest } from './handoff-request.ts'

/** What a new holder is answered: all it needs to go on, and the view of the user, as of one moment. */
export interface Delivered {
  readonly delivery: Delivery
  readonly served: ServedView
}

/** Exactly one of many wins. The holder before it has lost all authority when the winner is answered. */
export async function accept(desk: Desk, session: Session, request: AcceptRequest): Promise<Delivered> {
  const { handoff: id, lease } = request
  const user = desk.keeper.whose(id)
  const { leaseMaximum } = desk.house.limits
  const delivered = desk.rooms.with(desk.personOf(session, user), room =>
    desk.keeper.change(user, docket => {
      const wanted = lease === undefined ? undefined : Math.min(lease, leaseMaximum)
      const kept = docket.step(id, {
        ...(request.over === undefined
          ? { type: 'accept', lease: wanted }
          : overtaking(desk, session, docket, request.over)),
        by: partyOf(session),
        request: request.request ?? '',
      })
      const { previous, broadcast } = kept.handoff
      if (broadcast === undefined && previous !== null) relieve(docket, id, previous)
      return handOver(desk, session, room, docket, id)
    }),
  )
  return shown(desk, session, user, id, delivered)
}

/** A person who reaches the user may take work over, with a grant of their own. */
function overtaking(desk: Desk, session: Session, docket: Docket, over: number) {
  if (!desk.house.authority.scope(session, docket.user).ok)
    throw new SelfsameError({ code: 'handoff_unavailable', message: 'No such handoff that you may see.' })
  if (!isPerson(session.role)) throw new SelfsameError({ code: 'forbidden', message: 'Only people take work over.' })
  const { expires } = grantOf(desk.house.limits, session, docket.user, undefined, docket.now, null)
  return { type: 'takeOver', over, expires } as const
}

/** Answered once the audit has what must be in it first. */
export async function shown(
  desk: Desk,
  session: Session,
  user: string,
  handoff: string,
  delivered: Promise<Delivered>,
) {
  const { served } = await delivered
  await desk.house.journal.showed(session, user, 'accept', served, handoff)
  return delivered
}

/** Who had the work before has handed it over, and may stay to be asked if it still had its lease. */
function relieve(docket: Docket, id: string, previous: string): void {
  const before = docket.find(previous)?.handoff
  if (!before) return
  const holder = before.state.name === 'passing' ? holderOf(before, docket.now) : undefined
  docket.step(previous, { type: 'taken' })
  if (!holder) return
  const { agent, role } = holder
  docket.step(id, { type: 'attach', with: { agent, role }, fields: before.grant.fields })
}

/** Puts together what the holder gets, and keeps what it was shown with the change that makes it the holder. */
export function handOver(desk: Desk, session: Session, room: Room, docket: Docket, id: string): Delivered {
  const { house } = desk
  const kept = docket.get(id)
  const { handoff } = kept
  const work = docket.work(handoff.work)
  const scope = house.authority.granted(session.role, handoff.grant)
  const served = room.view(scope, work.task ?? '')
  const last = handoff.epoch === 1 && handoff.returns ? handoff.returns : { handoff: id, epoch: handoff.epoch - 1 }
  const before = asServed(house.archive.paper(docket.user, paperOf.view(last.handoff, last.epoch)))
  // Under the name by which its holder is to go on: who reaches the account gets all that is known of the person.
  const told = { ...kept, user: room.user }
  const made = deliveryOf({ schema: house.schema, kept: told, work, role: session.role, scope, served, before })
  const measured = { completeness: made.completeness, tokens: made.budget.used }
  docket.measured.set(id, measured)
  if (docket.kept.has(id))
    docket.papers.set(paperOf.view(id, handoff.epoch), {
      ...archived(desk, served),
      ...measured,
      told: toldIn(made),
    })
  room.serve(session.agent, scope.read.and(new Patterns(['**'])))
  return { delivery: { ...made, version: desk.version(room, served.seq) }, served }
}

/** A view as it is kept: what is secret is not. */
function archived({ house }: Desk, { asOf, view }: ServedView) {
  const open = [...view].filter(([field]) => house.schema.field(field)?.sensitivity !== 'secret')
  return { asOf, columns: columnsOf(new Map(open)) }
}

export const scopeUnder = (desk: Desk, session: Session, user: string, handoff: string, epoch: number) =>
  unwrap(desk.house.authority.scope(session, user, { handoff, epoch }))
