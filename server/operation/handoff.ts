import { createHash, randomBytes } from 'node:crypto'
import { SelfsameError, unwrap } from '../../model/error.ts'
import { sealEnvelope, VERSION } from '../../model/handoff/envelope.ts'
import type { GrantRequest } from '../../model/handoff/grant.ts'
import { type Handoff, holderOf, isOpen } from '../../model/handoff/handoff.ts'
import type { Party, Target } from '../../model/handoff/party.ts'
import { type Hop, type Message, sectionsOf } from '../../model/handoff/section.ts'
import { offer } from '../../model/handoff/step.ts'
import { type Work, within, withRules } from '../../model/handoff/work.ts'
import type { HandoffSeen } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { partyOf } from '../handoff/counter.ts'
import { requireBudget } from '../handoff/delivery.ts'
import type { Docket } from '../handoff/docket.ts'
import { requireCheckable } from '../handoff/expected.ts'
import { bounded, grantOf } from '../handoff/granting.ts'
import type { Kept } from '../handoff/kept.ts'
import { summaryOf } from '../handoff/summary.ts'
import type { Limits } from '../limits.ts'
import type { Room } from '../room/room.ts'
import { type Delivered, handOver, shown } from './accept.ts'
import type { Desk } from './desk.ts'
import type { Handing, HandRequest, ReturnRequest, StartRequest } from './handoff-request.ts'

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

/** Offers the work to another. Until that has accepted, the caller still has it. */
export async function handOn(desk: Desk, session: Session, handing: Handing): Promise<HandoffSeen> {
  const { handoff: from } = handing.request
  if (handing.request.expected !== undefined) requireCheckable(handing.request.expected)
  const user = desk.keeper.whose(from)
  const mac = await desk.house.archive.mac(user)
  const id = idOf('h', mac, session, handing.request.request)
  return desk.rooms.with(user, room =>
    desk.keeper.change(user, docket => {
      const known = docket.find(id)
      if (known) return summaryOf(known.handoff)
      requireTargets(desk, session, handing.request)
      const held = docket.step(from, { type: 'hand', by: partyOf(session), epoch: handing.request.epoch, next: id })
      requireRoom(desk, session, docket)
      const message = messageOf(desk, handing.request)
      const made = passedOn(desk, session, docket, held, { ...next(handing), id, message, mac })
      requireFit(desk, room, docket, made)
      return summaryOf(docket.put(made).handoff)
    }),
  )
}

/** Hands the work back to whom it came from, with what was learned. */
export async function handBack(desk: Desk, session: Session, request: ReturnRequest): Promise<HandoffSeen> {
  const user = desk.keeper.whose(request.handoff)
  const mac = await desk.house.archive.mac(user)
  const id = idOf('h', mac, session, request.request)
  return desk.keeper.change(user, docket => {
    const known = docket.find(id)
    if (known) return summaryOf(known.handoff)
    const { from } = docket.get(request.handoff).handoff
    if (!from)
      throw new SelfsameError({ code: 'bad_state', message: 'It was started here: there is nobody to return it to.' })
    const { handoff, epoch, why } = request
    const held = docket.step(handoff, { type: 'return', by: partyOf(session), epoch, why, next: id })
    const message = { ...NOTHING_SAID, reason: why, next: request.next ?? '', fields: request.fields ?? [] }
    const targets = [from, { role: from.role }]
    const given = { id, message, mac, targets, version: VERSION, extra: {}, constraints: [], exclusions: [] }
    return summaryOf(docket.put(passedOn(desk, session, docket, held, given)).handoff)
  })
}

interface Next {
  readonly id: string
  readonly version: string
  readonly message: Message
  readonly targets: readonly Target[]
  readonly constraints: readonly string[]
  readonly exclusions: readonly string[]
  readonly extra: Handing['extra']
  readonly mac: (text: string) => string
  readonly grant?: GrantRequest | undefined
  readonly urgency?: number | undefined
  readonly acknowledge?: number | undefined
  readonly budget?: Kept['budget']
}

const next = ({ request, version, extra }: Handing): Omit<Next, 'id' | 'message' | 'mac'> => ({
  version,
  extra,
  targets: [request.to, ...(request.alternatives ?? [])],
  constraints: request.constraints ?? [],
  exclusions: request.exclusions ?? [],
  grant: request.grant,
  urgency: request.urgency,
  acknowledge: request.acknowledge,
  budget: { strategy: request.strategy ?? 'priority', tokens: request.tokens ?? null },
})

/** A handoff after another: intent as it was, rules added, history and hops appended, authority no longer than the sender's. */
function passedOn({ house }: Desk, session: Session, docket: Docket, held: Kept, given: Next): Kept {
  const { limits } = house
  const { user, now } = docket
  const by = partyOf(session)
  const hop = held.handoff.hop + 1
  if (hop > limits.hops)
    throw new SelfsameError({ code: 'hop_limit', message: `Work is handed on at most ${limits.hops} times.` })
  const before = docket.work(held.handoff.work)
  const work: Work = {
    ...before,
    constraints: withRules(before.constraints, given.constraints, by, hop),
    exclusions: withRules(before.exclusions, given.exclusions, by, hop),
    chain: [...before.chain, given.id],
    extra: { ...before.extra, ...given.extra },
  }
  docket.works.set(work.id, unwrap(within(work)))
  const acknowledge = bounded(given.acknowledge ?? limits.acknowledge, limits.acknowledgeMaximum)
  const made: Handoff = {
    ...blank(limits, work.id, given.id, now),
    from: by,
    previous: held.handoff.id,
    targets: given.targets,
    grant: grantOf(limits, session, user, given.grant, now, held.handoff.grant),
    policy: { ...policyOf(limits), acknowledge },
    urgency: given.urgency ?? Math.max(0.5, ...work.threads.map(thread => thread.urgency)),
    hop,
    checkpoint: held.handoff.checkpoint,
  }
  const hops = [...hopsOf(held), { ...by, handoff: given.id, at: now }]
  const sections = sectionsOf(work, given.message, made.grant, hops)
  const sealing = { digest, mac: given.mac }
  return {
    user,
    handoff: offer(made, 0, 1, now, docket.chance),
    message: given.message,
    envelope: sealEnvelope(given.id, held.envelope.root, given.version, sections, sealing),
    budget: given.budget ?? { strategy: 'priority', tokens: null },
  }
}

function hopsOf({ envelope }: Kept): Hop[] {
  const body = envelope.sections.find(({ name }) => name === 'hops')?.body as unknown as { list: Hop[] }
  return body.list
}

const messageOf = ({ house }: Desk, request: HandRequest): Message => ({
  reason: request.reason,
  next: request.next ?? '',
  expected: request.expected ?? null,
  refs: (request.refs ?? []).filter(field => (house.schema.field(field)?.sensitivity ?? 'secret') !== 'secret'),
  words: request.words ?? null,
  fields: request.fields ?? [],
})

function requireTargets({ house }: Desk, { role }: Session, { to, alternatives = [] }: HandRequest): void {
  for (const target of [to, ...alternatives]) {
    unwrap(house.schema.role(target.role))
    if (!role.handsTo.includes(target.role))
      throw new SelfsameError({ code: 'forbidden', message: `Your role may hand work to: ${role.handsTo.join(', ')}.` })
  }
}

function requireRoom({ house, keeper }: Desk, { agent }: Session, docket: Docket): void {
  const { openHandoffs, openHandoffsPerUser, openHandoffsPerAgent } = house.limits
  if (docket.size >= openHandoffsPerUser) throw full(`${openHandoffsPerUser} handoffs of this user are open.`)
  if (keeper.openOf(agent) >= openHandoffsPerAgent) throw full(`${openHandoffsPerAgent} handoffs of yours are open.`)
  if (keeper.size >= openHandoffs)
    throw new SelfsameError({ code: 'overloaded', message: `${openHandoffs} handoffs are open.` })
}

const full = (message: string) => new SelfsameError({ code: 'quota_exceeded', message })

/** Told to the sender, who can do something about it, rather than to whoever accepts. */
function requireFit({ house }: Desk, room: Room, docket: Docket, kept: Kept): void {
  if (kept.budget.tokens === null) return
  for (const target of kept.handoff.targets) {
    const role = unwrap(house.schema.role(target.role))
    const scope = house.authority.granted(role, kept.handoff.grant)
    const work = docket.work(kept.handoff.work)
    const served = room.view(scope, work.task ?? '')
    requireBudget({ schema: house.schema, kept, work, role, scope, served, before: undefined })
  }
}

const blank = (
  limits: Limits,
  work: string,
  id: string,
  now: number,
): Omit<Handoff, 'grant' | 'state'> & { state: Handoff['state'] } => ({
  id,
  work,
  from: null,
  previous: null,
  targets: [],
  policy: policyOf(limits),
  urgency: 0.5,
  hop: 0,
  made: now,
  epoch: 0,
  state: { name: 'offered', target: 0, attempt: 1, again: now },
  checkpoint: null,
  declined: [],
  lapses: 0,
  events: [],
})

const policyOf = ({ acknowledge, attempts, lapses, lease }: Limits) => ({ acknowledge, attempts, lapses, lease })

/** The same for a request that is sent again; and nobody can guess one. */
const idOf = (kind: string, mac: (text: string) => string, { agent }: Session, request: string | undefined): string =>
  `${kind}_${request === undefined ? randomBytes(16).toString('hex') : mac(`id\n${agent}\n${request}`).slice(0, 32)}`

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

export const isParty = ({ handoff }: Kept, { agent }: Party): boolean =>
  handoff.from?.agent === agent ||
  (isOpen(handoff) && 'holder' in handoff.state && handoff.state.holder.agent === agent)
