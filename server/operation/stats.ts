import { SelfsameError } from '../../model/error.ts'
import type { Role } from '../../model/role.ts'
import type { QualityAnswer } from '../../model/wire/quality.ts'
import type { Session } from '../access/session.ts'
import { DAY, DAYS } from '../quality/days.ts'
import type { Desk } from './desk.ts'
import type { StatsRequest } from './handoff-request.ts'

const WEEKS = 8

/** Those who answer for the desk: people of it, and not the users themselves. */
export const isSupervising = (role: Role | undefined): boolean => role?.authority === 'human'

/** How well handoffs go. */
export function stats(desk: Desk, session: Session, request: StatsRequest): QualityAnswer {
  if (!isSupervising(session.role))
    throw new SelfsameError({ code: 'forbidden', message: 'Only people of the desk see how handoffs go.' })
  const now = desk.house.now()
  const to = Math.min(request.to ?? now, now + DAY)
  const from = Math.max(request.from ?? to - WEEKS * 7 * DAY, to - DAYS * DAY, 0)
  if (from > to) throw new SelfsameError({ code: 'bad_request', message: 'from: lies after `to`' })
  return desk.quality.answer(from, to, request.by ?? 'week')
}
