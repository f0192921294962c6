import { SelfsameError, unwrap } from '../../model/error.ts'
import { sealEnvelope, VERSION } from '../../model/handoff/envelope.ts'
import { type Handoff, holderOf, isOpen } from '../../model/handoff/handoff.ts'
import type { Party, Target } from '../../model/handoff/party.ts'
import { type Message, sectionsOf } from '../../model/handoff/section.ts'
import { type Work, within, withRules } from '../../model/handoff/work.ts'
import type { BroadcastSeen, HandoffSeen } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { partyOf } from '../handoff/counter.ts'
import type { Docket } from '../handoff/docket.ts'
import { requireCheckable } from '../handoff/expected.ts'
import { bounded, grantOf } from '../handoff/granting.ts'
import type { Kept } from '../handoff/kept.ts'
import { summaryOf } from '../handoff/summary.ts'
import type { Room } from '../room/room.ts'
import { type Delivered, handOver, shown } from './accept.ts'
import { badRequest } from './bad-request.ts'
import { broadcast } from './broadcast.ts'
import type { Desk } from './desk.ts'
import type { Handing, ReturnRequest, StartRequest } from './handoff-request.ts'
import {
  blank,
  digest,
  idOf,
  messageOf,
  type Next,
  next,
  passedOn,
  policyOf,
  requireFit,
  requireRoom,
  requireTargets,
} from './passing.ts'
import { loopIn, refusedOf } from './refused.ts'

/** How handoffs come to be: work is started, handed on, or handed back. */

const NOTHING_SAID: Message = { reason: '', next: '', expected: null, refs: [], words: null, fields: [] }

/** Makes its caller the first holder of some work. */
export async function start(desk: Desk, session: Session, request: StartRequest): Promise<Delivered> {
  const { user } = request
  desk.scope(session, user)
  const mac = await desk.house.archive.mac(user)
  const id = idOf('h', mac, session, request.request)
  return desk.rooms.with(user, room =>
    shown(
      desk,
      session,
      user,
      id,
      desk.keeper.change(user, docket => {
        if (docket.find(id)) return startedBefore(desk, session, room, docket, id)
        requireRoom(desk, session, docket)
        const kept = started(desk, session, request, docket, id, mac)
        docket.put(kept)
        return handOver(desk, session, room, docket, id)
      }),
    ),
  )
}

/** Sent again: the same answer, unless the work has passed to another meanwhile. */
function startedBefore(desk: Desk, session: Session, room: Room, docket: Docket, id: string): Delivered {
  const { handoff } = docket.elapse(id)
  if (handoff.epoch === 1 && holderOf(handoff, docket.now)?.agent === session.agent)
    return handOver(desk, session, room, docket, id)
  throw new SelfsameError({ code: 'fenced', message: 'You started it, and no longer hold it.' })
}

function started(
  { house }: Desk,
  session: Session,
  request: StartRequest,
  docket: Docket,
  id: string,
  mac: (text: string) => string,
): Kept {
  const { user, now } = docket
  const by = partyOf(session)
  const work: Work = {
    id: `w_${mac(`work\n${id}`).slice(0, 32)}`,
    user,
    task: request.task ?? null,
    intent: request.intent,
    constraints: withRules([], request.constraints ?? [], by, 0),
    exclusions: withRules([], request.exclusions ?? [], by, 0),
    threads: [],
    validations: [],
    environment: [],
    agreements: [],
    history: [],
    chain: [id],
    extra: {},
  }
  docket.works.set(work.id, unwrap(within(work)))
  const lease = bounded(request.lease ?? house.limits.lease, house.limits.leaseMaximum)
  const handoff: Handoff = {
    ...blank(house.limits, work.id, id, now),
    targets: [{ role: by.role }],
    grant: grantOf(house.limits, session, user, request.grant, now, null),
    policy: { ...policyOf(house.limits), lease },
    epoch: 1,
    state: { name: 'accepted', holder: { ...by, request: request.request ?? id }, lease: now + lease },
    events: [{ at: now, what: 'started', by: by.agent }],
  }
  const sections = sectionsOf(work, NOTHING_SAID, handoff.grant, [])
  const envelope = sealEnvelope(id, null, VERSION, sections, { digest, mac })
  return { user, handoff, message: NOTHING_SAID, envelope, budget: { strategy: 'priority', tokens: null } }
}

/** Offers the work to another, or a part of its own to each of many. */
export async function hand(desk: Desk, session: Session, handing: Handing): Promise<HandoffSeen | BroadcastSeen> {
  const { mode, to, expected } = handing.request
  if (expected !== undefined) requireCheckable(expected)
  if (mode === 'broadcast') return broadcast(desk, session, handing)
  if (Array.isArray(to)) throw badRequest('to: several receivers are for the mode `broadcast`')
  if (handing.request.deadline !== undefined) throw badRequest('deadline: only a broadcast has one')
  return handOn(desk, session, handing, [to, ...(handing.request.alternatives ?? [])])
}

/** Until another has accepted, the caller still has it. What must not be is written down, and refused. */
async function handOn(
  desk: Desk,
  session: Session,
  handing: Handing,
  targets: readonly Target[],
): Promise<HandoffSeen> {
  const { request } = handing
  const user = desk.keeper.whose(request.handoff)
  const mac = await desk.house.archive.mac(user)
  const id = idOf('h', mac, session, request.request)
  const made = await desk.rooms.with(user, room =>
    desk.keeper.change(user, docket => {
      const known = docket.find(id)
      if (known) return summaryOf(known.handoff)
      requireTargets(desk, session, targets)
      const refusal = refusedOf(desk, session, docket, request, targets)
      if (refusal) return refusal
      const held = docket.step(request.handoff, { type: 'hand', by: partyOf(session), epoch: request.epoch, next: id })
      requireRoom(desk, session, docket)
      const message = messageOf(desk, request)
      const made = passedOn(desk, session, docket, held, { ...next(handing, targets), id, message, mac })
      requireFit(desk, room, docket, made)
      return summaryOf(docket.put(made).handoff)
    }),
  )
  if (made instanceof SelfsameError) throw made
  return made
}

/** Hands the work back to whom it came from, with what was learned, and with the authority that they had. */
export async function handBack(desk: Desk, session: Session, request: ReturnRequest): Promise<HandoffSeen> {
  const user = desk.keeper.whose(request.handoff)
  const mac = await desk.house.archive.mac(user)
  const id = idOf('h', mac, session, request.request)
  return desk.keeper.change(user, docket => {
    const known = docket.find(id)
    if (known) return summaryOf(known.handoff)
    const { from, previous } = docket.get(request.handoff).handoff
    if (!from || previous === null)
      throw new SelfsameError({ code: 'bad_state', message: 'It was started here: there is nobody to return it to.' })
    const { handoff, epoch, why } = request
    const before = docket.get(previous).handoff
    const held = docket.step(handoff, { type: 'return', by: partyOf(session), epoch, why, next: id })
    requireHops(desk, held, session, [from])
    const message = { ...NOTHING_SAID, reason: why, next: request.next ?? '', fields: request.fields ?? [] }
    const given: Next = {
      ...{ id, message, mac, version: VERSION, extra: {}, constraints: [], exclusions: [], mode: 'direct' },
      targets: [from, { role: from.role }],
      own: before.grant,
      more: { returns: { handoff: before.id, epoch: before.epoch } },
    }
    return summaryOf(docket.put(passedOn(desk, session, docket, held, given)).handoff)
  })
}

function requireHops(desk: Desk, held: Kept, session: Session, to: readonly Target[]): void {
  const refusal = loopIn(desk, held, session, to)
  if (refusal) throw refusal
}

export const isParty = ({ handoff }: Kept, { agent }: Party): boolean =>
  handoff.from?.agent === agent ||
  (isOpen(handoff) && 'holder' in handoff.state && handoff.state.holder.agent === agent)
