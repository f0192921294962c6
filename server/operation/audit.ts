import { SelfsameError } from '../../model/error.ts'
import type { Scope } from '../../model/scope.ts'
import type { AuditAnswer, AuditEntry } from '../../model/wire/audit.ts'
import type { Session } from '../access/session.ts'
import type { Noted } from '../audit/audit.ts'
import type { Desk } from './desk.ts'
import type { AuditRequest } from './request.ts'

const ACTION = 'audit'
const LIMIT = 50
/** Entries that one request looks at; what is beyond them is behind `next`. */
const MOST_LOOKED_AT = 2_000

/** Who saw, said or did what of a user: for the user, and for a role with the action `audit`. The latest first. */
export async function audit(desk: Desk, session: Session, request: AuditRequest): Promise<AuditAnswer> {
  const { user, cursor, limit = LIMIT } = request
  const scope = desk.scope(session, user)
  requireAudit(session)
  const below = cursor === undefined ? undefined : openCursor(desk, user, cursor)
  const { journal, archive } = desk.house
  await journal.flush()
  const entries: AuditEntry[] = []
  let looked = 0
  let last: number | undefined
  let isMore = false
  for (const noted of archive.audit.trail(user, below)) {
    isMore = entries.length >= limit || looked >= MOST_LOOKED_AT
    if (isMore || noted.at < (request.from ?? 0)) break
    looked++
    last = noted.number
    if (isAsked(noted, request)) entries.push(...seen(desk, user, scope, noted))
  }
  journal.did(session, user, 'audit', { what: 'audit' })
  return { user, entries, ...(isMore && last !== undefined && { next: idOf(desk, user, last) }) }
}

export const mayAudit = ({ role }: Session): boolean => role.reach === 'self' || role.actions.includes(ACTION)

function requireAudit(session: Session): void {
  if (!mayAudit(session))
    throw new SelfsameError({ code: 'forbidden', message: `Only the user, or a role with the action "${ACTION}".` })
}

const isAsked = ({ at, kind, agent }: Noted, request: AuditRequest): boolean =>
  at <= (request.to ?? Number.POSITIVE_INFINITY) &&
  (request.kind === undefined || kind === request.kind) &&
  (request.agent === undefined || agent === request.agent)

/** All of it, for an export, the latest first. */
export function* trailSeen(desk: Desk, user: string, scope: Scope): Iterable<Omit<AuditEntry, 'id'>> {
  for (const noted of desk.house.archive.audit.trail(user))
    for (const { id: _, ...entry } of seen(desk, user, scope, noted)) yield entry
}

/** Fields that the reader may not know of are not named; an entry that is about nothing else is not there. */
function seen(desk: Desk, user: string, scope: Scope, { number, fields, ...noted }: Noted): AuditEntry[] {
  const entry = { id: idOf(desk, user, number), ...noted }
  if (!fields) return [entry]
  const known = fields.filter(field => scope.read.has(field))
  return known.length === 0 && fields.length > 0 ? [] : [{ ...entry, fields: known }]
}

/** Numbers count what is done to all users, so nobody gets to see them. */
const idOf = (desk: Desk, user: string, number: number): string =>
  desk.versions.seal(user, { epoch: 0, joins: 0, seq: number })

function openCursor(desk: Desk, user: string, cursor: string): number {
  const opened = desk.versions.open(user, cursor)
  if (!opened) throw new SelfsameError({ code: 'bad_request', message: '`cursor` is not one of this user’s audit.' })
  return opened.seq
}
