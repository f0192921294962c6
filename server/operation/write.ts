import { SelfsameError } from '../../model/error.ts'
import { isPerson } from '../../model/role.ts'
import type { ObserveAnswer } from '../../model/wire/frame.ts'
import type { Under } from '../access/authority.ts'
import type { Session } from '../access/session.ts'
import type { Limits } from '../limits.ts'
import { type Item, itemOf } from '../room/commit.ts'
import type { Desk } from './desk.ts'
import type { CorrectRequest, ObserveRequest, RetractRequest } from './request.ts'

const CORRECTION = { basis: 'heard', confidence: 0.95 } as const

export const observe = (desk: Desk, session: Session, { user, observations, atomic, under }: ObserveRequest) =>
  write(
    desk,
    session,
    user,
    observations.map(input => itemOf('observation', input)),
    atomic,
    under,
  )

/** A person's word, stated as such. What agents may not do at all is refused here; the rest is an observation. */
export function correct(desk: Desk, session: Session, { user, corrections, atomic, under }: CorrectRequest) {
  desk.scope(session, user, under)
  if (!isPerson(session.role))
    throw new SelfsameError({ code: 'forbidden', message: 'Only people correct. An agent observes what is so.' })
  const items = corrections.map(input => itemOf('observation', isObject(input) ? { ...CORRECTION, ...input } : input))
  return write(desk, session, user, items, atomic, under)
}

export const retract = (desk: Desk, session: Session, { user, retraction, under }: RetractRequest) =>
  write(desk, session, user, [itemOf('retraction', retraction)], false, under)

const write = (
  desk: Desk,
  session: Session,
  user: string,
  items: readonly Item[],
  atomic = false,
  under?: Under,
): Promise<ObserveAnswer> => {
  const scope = desk.scope(session, user, under)
  return desk.rooms.with(user, async room => {
    requireFew(items, desk.house.limits)
    const outcomes = await room.submit({ session, items, atomic, ...(under && { under }) })
    return { version: desk.version(room, room.lastReadable(scope)), outcomes }
  })
}

function requireFew({ length }: readonly Item[], { observationsPerRequest }: Limits): void {
  if (length > observationsPerRequest)
    throw new SelfsameError({ code: 'too_large', message: `At most ${observationsPerRequest} items in one request.` })
}

const isObject = (input: unknown): input is object =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
