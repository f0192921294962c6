import { SelfsameError } from '../../model/error.ts'
import type { Target } from '../../model/handoff/party.ts'
import type { BroadcastSeen } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { asBroadcast, type Broadcast, broadcastSeen } from '../handoff/broadcast.ts'
import { partyOf } from '../handoff/counter.ts'
import type { Docket } from '../handoff/docket.ts'
import { bounded } from '../handoff/granting.ts'
import { type Kept, paperOf } from '../handoff/kept.ts'
import { badRequest } from './bad-request.ts'
import type { Desk } from './desk.ts'
import type { Handing } from './handoff-request.ts'
import { idOf, messageOf, next, passedOn, requireFit, requireRoom, requireTargets } from './passing.ts'
import { refusedOf } from './refused.ts'

/** So often a part is delivered until its deadline: it is the deadline that ends it. */
const DELIVERIES = 1_000
const MAX_RECEIVERS = 100

/**
 * Offers each of many a part of its own, with its own delivery, view and grant, while the sender goes on. A role stands for
 * everyone of it who is connected; when nobody is, for whoever comes first. It ends when all have acted, or at its deadline.
 */
export async function broadcast(desk: Desk, session: Session, handing: Handing): Promise<BroadcastSeen> {
  const { request } = handing
  const user = desk.keeper.whose(request.handoff)
  const mac = await desk.house.archive.mac(user)
  const id = idOf('b', mac, session, request.request)
  const made = await desk.rooms.with(user, room =>
    desk.keeper.change(user, docket => {
      const known = asBroadcast(desk.house.archive.paper(user, paperOf.broadcast(id)))
      if (known) return broadcastSeen(known, part => docket.find(part))
      const to = receiversOf(desk, handing)
      requireTargets(desk, session, to)
      const refusal = refusedOf(desk, session, docket, request, to)
      if (refusal) return refusal
      const held = docket.step(request.handoff, { type: 'renew', by: partyOf(session), epoch: request.epoch })
      requireRoom(desk, session, docket, to.length)
      const record = recordOf(desk, session, docket, handing, id, to)
      const given = { ...next(handing, []), message: messageOf(desk, request), mac, attempts: DELIVERIES }
      for (const { to: target, handoff } of record.receivers) {
        const grant = { ...request.grant, ttl: record.deadline - docket.now }
        const part = { ...given, id: handoff, targets: [target], grant, more: { broadcast: id } }
        docket.put(passedOn(desk, session, docket, held, part))
      }
      for (const part of oneOfEachRole(record, docket)) requireFit(desk, room, docket, part)
      docket.papers.set(paperOf.broadcast(id), record)
      docket.filed.push(paperOf.broadcast(id))
      return broadcastSeen(record, part => docket.find(part))
    }),
  )
  if (made instanceof SelfsameError) throw made
  return made
}

function recordOf(
  { house }: Desk,
  session: Session,
  { now }: Docket,
  { request }: Handing,
  id: string,
  to: readonly Target[],
): Broadcast {
  const { deadline, grantMaximum } = house.limits
  return {
    id,
    from: partyOf(session),
    handoff: request.handoff,
    made: now,
    deadline: now + bounded(request.deadline ?? deadline, grantMaximum),
    receivers: to.map((target, i) => ({ to: target, handoff: `h${id.slice(1)}_${i}` })),
  }
}

function receiversOf({ keeper }: Desk, { request: { to, alternatives } }: Handing): Target[] {
  if (alternatives) throw badRequest('alternatives: a broadcast has none, as each receiver acts for itself')
  const each = (Array.isArray(to) ? to : [to]).flatMap(target =>
    target.agent === undefined ? keeper.counter.everyone(target.role) : [target],
  )
  const once = new Map(each.map(target => [`${target.role}\n${target.agent ?? ''}`, target]))
  if (once.size > MAX_RECEIVERS)
    throw badRequest(`to: ${once.size} receivers; a broadcast has at most ${MAX_RECEIVERS}`)
  return [...once.values()]
}

function oneOfEachRole({ receivers }: Broadcast, docket: Docket): Iterable<Kept> {
  return new Map(receivers.map(({ to, handoff }) => [to.role, docket.get(handoff)])).values()
}
