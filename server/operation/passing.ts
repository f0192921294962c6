import { createHash, randomBytes } from 'node:crypto'
import { SelfsameError, unwrap } from '../../model/error.ts'
import { sealEnvelope } from '../../model/handoff/envelope.ts'
import type { Grant, GrantRequest } from '../../model/handoff/grant.ts'
import type { Handoff, Mode } from '../../model/handoff/handoff.ts'
import type { Target } from '../../model/handoff/party.ts'
import { type Hop, type Message, sectionsOf } from '../../model/handoff/section.ts'
import { offer } from '../../model/handoff/step.ts'
import { type Work, within, withRules } from '../../model/handoff/work.ts'
import type { Session } from '../access/session.ts'
import { partyOf } from '../handoff/counter.ts'
import { requireBudget } from '../handoff/delivery.ts'
import type { Docket } from '../handoff/docket.ts'
import { bounded, grantOf } from '../handoff/granting.ts'
import type { Kept } from '../handoff/kept.ts'
import type { Limits } from '../limits.ts'
import type { Room } from '../room/room.ts'
import type { Desk } from './desk.ts'
import type { Handing, HandRequest } from './handoff-request.ts'

/** What handing on is made of, to one or to many. */

export interface Next {
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
  readonly mode: Mode
  readonly window?: number | undefined
  /** Of what kind this one is besides. */
  readonly more?: Pick<Handoff, 'broadcast' | 'returns'>
  /** From which its authority comes, if that is not the one it follows. */
  readonly own?: Grant
  readonly attempts?: number
}

export const next = (
  { request, version, extra }: Handing,
  targets: readonly Target[],
): Omit<Next, 'id' | 'message' | 'mac'> => ({
  version,
  extra,
  targets,
  mode: request.mode ?? 'direct',
  constraints: request.constraints ?? [],
  exclusions: request.exclusions ?? [],
  grant: request.grant,
  urgency: request.urgency,
  acknowledge: request.acknowledge,
  window: request.overlap,
  budget: { strategy: request.strategy ?? 'priority', tokens: request.tokens ?? null },
})

/** A handoff after another: intent as it was, rules added, history and hops appended, authority no longer than the sender's. */
export function passedOn({ house }: Desk, session: Session, docket: Docket, held: Kept, given: Next): Kept {
  const { limits } = house
  const { user, now } = docket
  const by = partyOf(session)
  const hop = held.handoff.hop + 1
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
    ...given.more,
    mode: given.mode,
    ...(given.window !== undefined && { window: bounded(given.window, limits.overlapMaximum) }),
    grant: grantOf(limits, session, user, given.grant, now, given.own ?? held.handoff.grant),
    policy: { ...policyOf(limits), acknowledge, ...(given.attempts && { attempts: given.attempts }) },
    urgency: given.urgency ?? Math.max(0.5, ...work.threads.map(thread => thread.urgency)),
    hop,
    checkpoint: held.handoff.checkpoint,
  }
  const hops = [...hopsOf(held), { ...by, handoff: given.id, at: now }]
  const sections = sectionsOf(work, given.message, made.grant, hops)
  const sealing = { digest, mac: given.mac }
  return {
    user,
    handoff: docket.routed(offer(made, 0, 1, now, docket.chance)),
    message: given.message,
    envelope: sealEnvelope(given.id, held.envelope.root, given.version, sections, sealing),
    budget: given.budget ?? { strategy: 'priority', tokens: null },
  }
}

export function hopsOf({ envelope }: Kept): Hop[] {
  const body = envelope.sections.find(({ name }) => name === 'hops')?.body as unknown as { list: Hop[] }
  return body.list
}

export const messageOf = ({ house }: Desk, request: HandRequest): Message => ({
  reason: request.reason,
  next: request.next ?? '',
  expected: request.expected ?? null,
  refs: (request.refs ?? []).filter(field => (house.schema.field(field)?.sensitivity ?? 'secret') !== 'secret'),
  words: request.words ?? null,
  fields: request.fields ?? [],
})

export function requireTargets({ house }: Desk, { role }: Session, targets: readonly Target[]): void {
  for (const target of targets) {
    unwrap(house.schema.role(target.role))
    if (!role.handsTo.includes(target.role))
      throw new SelfsameError({ code: 'forbidden', message: `Your role may hand work to: ${role.handsTo.join(', ')}.` })
  }
}

export function requireRoom({ house, keeper }: Desk, { agent }: Session, docket: Docket, more = 1): void {
  const { openHandoffs, openHandoffsPerUser, openHandoffsPerAgent } = house.limits
  if (docket.size + more > openHandoffsPerUser) throw full(`${openHandoffsPerUser} handoffs of this user are open.`)
  if (keeper.openOf(agent) + more > openHandoffsPerAgent)
    throw full(`${openHandoffsPerAgent} handoffs of yours are open.`)
  if (keeper.size + more > openHandoffs)
    throw new SelfsameError({ code: 'overloaded', message: `${openHandoffs} handoffs are open.` })
}

const full = (message: string) => new SelfsameError({ code: 'quota_exceeded', message })

/** Told to the sender, who can do something about it, rather than to whoever accepts. */
export function requireFit({ house }: Desk, room: Room, docket: Docket, kept: Kept): void {
  if (kept.budget.tokens === null) return
  for (const target of kept.handoff.targets) {
    const role = unwrap(house.schema.role(target.role))
    const scope = house.authority.granted(role, kept.handoff.grant)
    const work = docket.work(kept.handoff.work)
    const served = room.view(scope, work.task ?? '')
    requireBudget({ schema: house.schema, kept, work, role, scope, served, before: undefined })
  }
}

export const blank = (
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
  mode: 'direct',
  made: now,
  epoch: 0,
  state: { name: 'offered', target: 0, attempt: 1, again: now },
  checkpoint: null,
  declined: [],
  lapses: 0,
  events: [],
})

export const policyOf = ({ acknowledge, attempts, lapses, lease }: Limits) => ({ acknowledge, attempts, lapses, lease })

/** The same for a request that is sent again; and nobody can guess one. */
export const idOf = (
  kind: string,
  mac: (text: string) => string,
  { agent }: Session,
  request: string | undefined,
): string =>
  `${kind}_${request === undefined ? randomBytes(16).toString('hex') : mac(`id\n${agent}\n${request}`).slice(0, 32)}`

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
