import { ok, type Result } from '../../model/error.ts'
import { projected } from '../../model/handoff/envelope.ts'
import { exchangeSeen } from '../../model/handoff/exchange.ts'
import { type Event, holderOf, OPEN } from '../../model/handoff/handoff.ts'
import { workSeen } from '../../model/handoff/work.ts'
import { isPerson } from '../../model/role.ts'
import type { Scope } from '../../model/scope.ts'
import type {
  BroadcastSeen,
  HandoffDetails,
  HandoffSeen,
  ListedHandoff,
  OfferSeen,
  OpenWork,
} from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { asBroadcast, broadcastSeen } from '../handoff/broadcast.ts'
import { checkpointSeen } from '../handoff/delivery.ts'
import { isFor } from '../handoff/keeper.ts'
import { asKept, asServed, asWork, type Kept, paperOf } from '../handoff/kept.ts'
import { offerOf } from '../handoff/offer.ts'
import { staleIn } from '../handoff/stale.ts'
import { summaryOf } from '../handoff/summary.ts'
import { toldFor } from '../handoff/told.ts'
import type { Room } from '../room/room.ts'
import type { Desk } from './desk.ts'
import { isParty } from './handoff.ts'
import type { HandoffsRequest } from './handoff-request.ts'
import { unavailable } from './holding.ts'
import { past } from './past.ts'

/** What is told of handoffs to whom. */

/** Of offers and of handoffs, in one list. */
export const MOST = 500

export interface Listed {
  readonly offers: readonly OfferSeen[]
  readonly handoffs: readonly ListedHandoff[]
  /** Where the next page begins; null: that was all. */
  readonly next: string | null
}

/** What is open and concerns the caller: offers it may accept, what it sent or holds, and what is of users it reaches. */
export async function handoffs(desk: Desk, session: Session, request: HandoffsRequest = {}): Promise<Listed> {
  const { state, limit = MOST, after } = request
  return state === undefined || OPEN.has(state)
    ? openHandoffs(desk, session, request)
    : over(desk, session, state, limit, after)
}

export async function openHandoffs(desk: Desk, session: Session, request: HandoffsRequest): Promise<Listed> {
  const { state, limit = MOST, after } = request
  const open = [...desk.keeper.open].filter(({ handoff }) => state === undefined || handoff.state.name === state)
  const mine = open.filter(kept => isFor(kept, session)).slice(0, MOST)
  const offers = await Promise.all(mine.map(kept => offerOf(desk.house, desk.rooms, kept, session.role)))
  const listed = open.flatMap(kept => listedFor(desk, session, kept)).sort(oldestFirst)
  const page = (after === undefined ? listed : listed.filter(each => placeOf(each) > after)).slice(0, limit + 1)
  const last = page.length > limit ? page[limit - 1] : undefined
  return { offers, handoffs: page.slice(0, limit), next: last ? placeOf(last) : null }
}

/** What is over, of users whom the caller reaches now. */
function over(
  desk: Desk,
  session: Session,
  state: HandoffSeen['state'],
  limit: number,
  after: string | undefined,
): Listed {
  const { found, next } = past(desk, session, ({ handoff }) => handoff.state.name === state, limit, after)
  return { offers: [], handoffs: found.flatMap(kept => listedFor(desk, session, kept)), next }
}

/** Thirteen digits of milliseconds sort as numbers do, for some centuries. */
const placeOf = ({ made, id }: HandoffSeen): string => `${String(made).padStart(16, '0')}.${id}`

const oldestFirst = (a: HandoffSeen, b: HandoffSeen): number => (placeOf(a) < placeOf(b) ? -1 : 1)

export function listedFor(desk: Desk, session: Session, kept: Kept): ListedHandoff[] {
  if (desk.house.authority.scope(session, kept.user).ok)
    return [{ ...summaryOf(kept.handoff), user: desk.personOf(session, kept.user) }]
  return isParty(kept, { agent: session.agent, role: session.role.name }) ? [summaryOf(kept.handoff)] : []
}

/** One handoff with what it carries, for its holder and for who reaches the user; how it stands, for who sent it. */
export async function inspect(
  desk: Desk,
  session: Session,
  id: string,
): Promise<HandoffDetails | BroadcastSeen | ListedHandoff> {
  const user = desk.keeper.whose(id)
  const find = (name: string) =>
    desk.keeper.of(user).kept.get(name) ?? asKept(desk.house.archive.paper(user, paperOf.handoff(name)))
  const kept = find(id)
  if (!kept) return inspectBroadcast(desk, session, user, id, find)
  const scope = scopeFor(desk, session, kept)
  if (scope.ok) desk.house.journal.did(session, user, 'read', { what: 'handoff', handoff: id })
  if (scope.ok) return desk.rooms.with(user, room => detailsOf(desk, session, kept, scope.value, room))
  if (isParty(kept, { agent: session.agent, role: session.role.name }) || isFor(kept, session))
    return summaryOf(kept.handoff)
  throw unavailable()
}

/** For its sender, and for who reaches the user. */
function inspectBroadcast(
  desk: Desk,
  session: Session,
  user: string,
  id: string,
  find: (id: string) => Kept | undefined,
): BroadcastSeen {
  const broadcast = asBroadcast(desk.house.archive.paper(user, paperOf.broadcast(id)))
  if (!broadcast || (broadcast.from.agent !== session.agent && !desk.house.authority.scope(session, user).ok))
    throw unavailable()
  return broadcastSeen(broadcast, find)
}

function scopeFor({ house }: Desk, session: Session, { user, handoff }: Kept): Result<Scope> {
  const isHolder = holderOf(handoff, house.now())?.agent === session.agent
  if (isHolder) return ok(house.authority.granted(session.role, handoff.grant))
  return house.authority.scope(session, user)
}

function detailsOf(desk: Desk, session: Session, kept: Kept, scope: Scope, room: Room): HandoffDetails {
  const { user, handoff, envelope } = kept
  const work =
    desk.keeper.of(user).works.get(handoff.work) ?? asWork(desk.house.archive.paper(user, paperOf.work(handoff.work)))
  if (!work) throw new Error(`The work of the handoff ${handoff.id} is not there.`)
  const served = asServed(desk.house.archive.paper(user, paperOf.view(handoff.id, handoff.epoch)))
  return {
    user,
    handoff: summaryOf(handoff),
    envelope: projected(envelope, scope),
    work: workSeen(work, scope),
    checkpoint: checkpointSeen(handoff, scope),
    exchange: exchangeSeen(handoff.exchange, scope, session.agent),
    events: eventsFor(session, handoff.events),
    stale: staleIn(served, room.view(scope, work.task ?? '').view, scope),
    told: toldFor(served, desk.house.schema, scope),
  }
}

/** Reasons are free text, which can't be told by field: they are for people, and for who gave them. */
export const eventsFor = ({ agent, role }: Session, events: readonly Event[]): readonly Event[] =>
  isPerson(role)
    ? events
    : events.map(({ why, ...event }) => (why !== undefined && event.by === agent ? { ...event, why } : event))

/** Open work of a user, as far as the caller may see it. */
export function works(desk: Desk, session: Session, user: string): { user: string; works: OpenWork[] } {
  const scope = desk.scope(session, user)
  const dossiers = desk.namesOf(user).map(name => desk.keeper.of(name))
  const kept = dossiers.flatMap(dossier => [...dossier.kept.values()])
  if (kept.length > 0) desk.house.journal.did(session, user, 'read', { what: 'work' })
  const handoffsOf = (work: string) =>
    kept.filter(({ handoff }) => handoff.work === work).map(({ handoff }) => summaryOf(handoff))
  const open = dossiers.flatMap(dossier => [...dossier.works.values()])
  return { user, works: open.map(work => ({ ...workSeen(work, scope), handoffs: handoffsOf(work.id) })) }
}
