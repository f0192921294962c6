import { SelfsameError } from '../../model/error.ts'
import { projected } from '../../model/handoff/envelope.ts'
import { exchangeSeen } from '../../model/handoff/exchange.ts'
import { isPerson } from '../../model/role.ts'
import type { Scope } from '../../model/scope.ts'
import type { Frame } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { checkpointSeen, valuesIn } from '../handoff/delivery.ts'
import { asEntry, beginningAt, FRAMES, type FrameEntry, isFrameKey } from '../handoff/frame-index.ts'
import { asKept, asServed, asWork, type Kept, paperOf } from '../handoff/kept.ts'
import { staleIn } from '../handoff/stale.ts'
import { summaryOf } from '../handoff/summary.ts'
import { toldFor } from '../handoff/told.ts'
import type { Room } from '../room/room.ts'
import type { Desk } from './desk.ts'
import type { FramesRequest } from './handoff-request.ts'
import { eventsFor } from './handoffs.ts'

export const FRAMES_AT_ONCE = 20
/** Entries looked at for one answer; those that match are read, the others are not. */
export const MOST_ENTRIES = 2_000

export interface FramesPage {
  readonly frames: readonly Frame[]
  /** Where to go on; null: that was all. A page may be short of what was asked for and not be the last. */
  readonly cursor: string | null
}

/** The archive: what each handoff carried, what its holder was shown, what happened and how it ended; the latest first. */
export async function frames(desk: Desk, session: Session, request: FramesRequest): Promise<FramesPage> {
  const { user, field } = request
  const scope = desk.scope(session, user)
  // Of a field that may not be read no frame speaks, as of one that does not exist.
  if (field !== undefined && !scope.read.has(field)) return { frames: [], cursor: null }
  desk.house.journal.did(session, user, 'read', { what: 'frames' })
  return desk.rooms.with(user, room => pageOf(desk, session, request, room, scope))
}

function pageOf(desk: Desk, session: Session, request: FramesRequest, room: Room, scope: Scope): FramesPage {
  const { user, limit = FRAMES_AT_ONCE, to = Number.MAX_SAFE_INTEGER, cursor } = request
  const begin = cursor === undefined ? beginningAt(to) : keyIn(cursor)
  const reading = { desk, session, room, scope }
  const { frames, next } = gathered(reading, request, entriesOf(desk, user, begin), limit, MOST_ENTRIES)
  return { frames, cursor: next === null ? null : cursorOf(next) }
}

export interface Reading {
  readonly desk: Desk
  readonly session: Session
  readonly room: Room
  readonly scope: Scope
}

export interface Gathered {
  readonly frames: readonly Frame[]
  readonly looked: number
  /** Where it stopped before the end. */
  readonly next: string | null
}

/** Of what is filed, the frames that are asked for: so many at most, and of so many entries. */
export function gathered(
  { desk, session, room, scope }: Reading,
  request: FramesQuestion,
  filed: Iterable<Filed>,
  limit: number,
  most: number,
): Gathered {
  const frames: Frame[] = []
  let looked = 0
  for (const { name, key, entry } of filed) {
    if (entry.made < (request.from ?? 0)) break
    if (frames.length === limit || looked === most) return { frames, looked, next: key }
    looked++
    const frame = matches(entry, request) ? frameIn(desk, session, room, scope, name, entry.id) : undefined
    if (frame && speaksOf(frame, request.field)) frames.push(frame)
  }
  return { frames, looked, next: null }
}

type FramesQuestion = Omit<FramesRequest, 'user'>

interface Filed {
  readonly name: string
  readonly key: string
  readonly entry: FrameEntry
}

/** Of all names of a user, in one order: at each step the first of what the names have next. */
function* entriesOf(desk: Desk, user: string, begin: string): Iterable<Filed> {
  const readers = desk.namesOf(user).map(name => filedOf(desk, name, begin))
  const next = new Map(readers.map(reader => [reader, reader.next().value]))
  for (;;) {
    const [reader, filed] = [...next].reduce((a, b) => ((b[1]?.key ?? END) < (a[1]?.key ?? END) ? b : a))
    if (!filed) return
    yield filed
    next.set(reader, reader.next().value)
  }
}

/** After every key. */
const END = '~'

export function* filedOf({ house }: Desk, name: string, begin: string): Generator<Filed, undefined> {
  for (const [key, paper] of house.archive.papers(name, FRAMES, begin)) yield { name, key, entry: asEntry(paper) }
}

const matches = ({ agents, outcome }: FrameEntry, request: FramesQuestion): boolean =>
  (request.agent === undefined || agents.includes(request.agent)) &&
  (request.outcome === undefined || outcome === request.outcome)

const speaksOf = ({ served, envelope }: Frame, field: string | undefined): boolean =>
  field === undefined ||
  (served !== null && Object.hasOwn(served.values, field)) ||
  envelope.sections.some(({ fields }) => fields.includes(field))

/** One that a person sent on its way again is open, and no frame yet. */
function frameIn(desk: Desk, session: Session, room: Room, scope: Scope, name: string, id: string): Frame | undefined {
  const kept = desk.keeper.of(name).kept.has(id)
    ? undefined
    : asKept(desk.house.archive.paper(name, paperOf.handoff(id)))
  return kept && frameOf(desk, session, kept, room, scope)
}

function frameOf({ house }: Desk, session: Session, kept: Kept, room: Room, scope: Scope): Frame {
  const { user, handoff, envelope } = kept
  const served = asServed(house.archive.paper(user, paperOf.view(handoff.id, handoff.epoch)))
  const task = asWork(house.archive.paper(user, paperOf.work(handoff.work)))?.task ?? ''
  return {
    handoff: summaryOf(handoff),
    outcome: outcomeFor(session, handoff.state),
    envelope: projected(envelope, scope),
    checkpoint: checkpointSeen(handoff, scope),
    exchange: exchangeSeen(handoff.exchange, scope, session.agent),
    events: eventsFor(session, handoff.events),
    served: served ? { asOf: served.asOf, values: Object.fromEntries(valuesIn(served, scope)) } : null,
    stale: staleIn(served, room.view(scope, task).view, scope),
    told: toldFor(served, house.schema, scope),
  }
}

/** As with events: what was said freely is for people, and for who said it. */
function outcomeFor({ agent, role }: Session, state: Frame['outcome']): Frame['outcome'] {
  const isTold = isPerson(role) || ('by' in state && state.by?.agent === agent)
  if (isTold) return state
  if (state.name === 'completed') return { ...state, result: null }
  return state.name === 'failed' || state.name === 'returned' ? { ...state, why: '' } : state
}

const cursorOf = (key: string): string => Buffer.from(key).toString('base64url')

function keyIn(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString()
  if (isFrameKey(key)) return key
  throw new SelfsameError({ code: 'bad_request', message: 'cursor: expected the `cursor` of an answer' })
}
