import { isOpen } from '../../model/handoff/handoff.ts'
import type { Session } from '../access/session.ts'
import { asKept, HANDOFFS, type Kept, paperOf } from '../handoff/kept.ts'
import { badRequest } from './bad-request.ts'
import type { Desk } from './desk.ts'

/** Handoffs that are over, users and handoffs in the order in which they are kept. */
export interface Past {
  readonly found: readonly Kept[]
  /** Where to go on; null: that was all. A page may be short of what was asked for and not be the last. */
  readonly next: string | null
}

/** So many papers are looked at for one page. */
const MOST_READ = 2_000

/** Of users whom the caller reaches now. `after` is the `next` of the page before. */
export function past(
  desk: Desk,
  session: Session,
  is: (kept: Kept) => boolean,
  most: number,
  after: string | undefined,
): Past {
  const from = after === undefined ? undefined : placeOf(after)
  const users = reachedBy(desk, session)
  const rest = from ? users.slice(Math.max(0, users.indexOf(from.user))) : users
  const found: Kept[] = []
  let read = 0
  for (const user of rest) {
    const beyond = user === from?.user ? paperOf.handoff(from.id) : ''
    for (const [name, paper] of desk.house.archive.papers(user, HANDOFFS, beyond || HANDOFFS)) {
      if (name === beyond) continue
      const kept = asKept(paper)
      read++
      if (kept && !isOpen(kept.handoff) && is(kept)) found.push(kept)
      if (kept && (found.length === most || read === MOST_READ)) return { found, next: cursorOf(user, kept.handoff.id) }
    }
  }
  return { found, next: null }
}

function reachedBy({ house, keeper }: Desk, session: Session): readonly string[] {
  if (session.role.reach === 'all') return house.archive.users().users
  if (session.role.reach === 'self') return [session.agent]
  const open = new Set([...keeper.open].map(({ user }) => user))
  return [...open].filter(user => house.authority.scope(session, user).ok).sort()
}

const cursorOf = (user: string, id: string): string => Buffer.from(JSON.stringify([user, id])).toString('base64url')

function placeOf(cursor: string): { readonly user: string; readonly id: string } {
  try {
    const [user, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return { user: String(user), id: String(id) }
  } catch {
    throw badRequest('after: expected the `next` of a page')
  }
}
