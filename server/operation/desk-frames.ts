import { SelfsameError } from '../../model/error.ts'
import type { DeskFrame } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { beginningAt, isPlace } from '../handoff/frame-index.ts'
import { badRequest } from './bad-request.ts'
import type { Desk } from './desk.ts'
import { FRAMES_AT_ONCE, filedOf, type Gathered, gathered, MOST_ENTRIES } from './frames.ts'
import type { DeskFramesRequest } from './handoff-request.ts'
import { isSupervising } from './stats.ts'

/** Users looked at for one answer, and of these the ones of whom frames are read. */
const MOST_USERS = 2_000
const MOST_READ = 200

export interface DeskFramesPage {
  readonly frames: readonly DeskFrame[]
  /** Where to go on; null: that was all. A page may be short of what was asked for and not be the last. */
  readonly cursor: string | null
}

/** The archive of all users, one after the other, of each the latest first. A frame is cut as it is when that user is asked for. */
export async function deskFrames(desk: Desk, session: Session, request: DeskFramesRequest): Promise<DeskFramesPage> {
  requireDesk(session)
  const { field, limit = FRAMES_AT_ONCE, from = 0, to = Number.MAX_SAFE_INTEGER, cursor } = request
  const place = cursor === undefined ? undefined : placeIn(cursor)
  if (field !== undefined && !session.scope.read.has(field)) return { frames: [], cursor: null }
  const users = desk.house.archive.usersFrom(place?.digest ?? '', MOST_USERS + 1)
  const frames: DeskFrame[] = []
  let [looked, read] = [0, 0]
  for (const { digest, user } of users.slice(0, MOST_USERS)) {
    const begin = digest === place?.digest ? place.key : beginningAt(to)
    if (!hasSome(desk, user, begin, from)) continue
    if (frames.length === limit || looked === MOST_ENTRIES || read++ === MOST_READ)
      return { frames, cursor: cursorOf(digest, begin) }
    const page = await framesOf(desk, session, request, user, begin, limit - frames.length, MOST_ENTRIES - looked)
    looked += page.looked
    frames.push(...page.frames.map(frame => ({ user: desk.personOf(session, user), ...frame })))
    if (page.next !== null) return { frames, cursor: cursorOf(digest, page.next) }
  }
  const next = users[MOST_USERS]
  return { frames, cursor: next ? cursorOf(next.digest, beginningAt(to)) : null }
}

function requireDesk({ role }: Session): void {
  if (role.reach !== 'all' || !isSupervising(role))
    throw new SelfsameError({
      code: 'forbidden',
      message: 'Only people of the desk who reach every user see all frames. Ask for those of one user.',
    })
}

function hasSome(desk: Desk, user: string, begin: string, from: number): boolean {
  for (const { entry } of filedOf(desk, user, begin)) return entry.made >= from
  return false
}

/** Filed under this name alone: what is filed under another name of the person comes with that one. */
async function framesOf(
  desk: Desk,
  session: Session,
  request: DeskFramesRequest,
  user: string,
  begin: string,
  limit: number,
  most: number,
): Promise<Gathered> {
  const scope = desk.scope(session, user)
  const page = await desk.rooms.with(desk.personOf(session, user), room =>
    gathered({ desk, session, room, scope }, request, filedOf(desk, user, begin), limit, most),
  )
  if (page.frames.length > 0) desk.house.journal.did(session, user, 'read', { what: 'frames' })
  return page
}

const cursorOf = (digest: string, key: string): string => Buffer.from(`${digest} ${key}`).toString('base64url')

function placeIn(cursor: string): { readonly digest: string; readonly key: string } {
  const [digest = '', key = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (/^[\w-]{1,128}$/.test(digest) && isPlace(key)) return { digest, key }
  throw badRequest('cursor: expected the `cursor` of an answer')
}
