import { ok, type Result, refuse } from '../error.ts'
import type { Overlap, Said } from './exchange.ts'
import { type Handoff, holderOf } from './handoff.ts'
import { log } from './log.ts'
import type { Party } from './party.ts'

const MAX_EXCHANGES = 64

/** Who is still there besides the holder, at a time: nobody once the holder has lost its lease. */
export function overlapOf(handoff: Handoff, now: number): Overlap | undefined {
  const { overlap, epoch } = handoff
  return overlap && overlap.epoch === epoch && overlap.until > now && holderOf(handoff, now) ? overlap : undefined
}

/** The one before stays, for as long as it said it would. */
export function attached(handoff: Handoff, by: Party, fields: Overlap['fields'], now: number): Handoff {
  const { window, grant, epoch } = handoff
  if (window === undefined) return handoff
  return { ...handoff, overlap: { with: by, fields, until: Math.min(now + window, grant.expires), epoch } }
}

/** What time alone does. */
export const parted = (handoff: Handoff, now: number): Handoff =>
  handoff.overlap && !overlapOf(handoff, now) ? left(handoff, now, 'its time is over') : handoff

function left(handoff: Handoff, now: number, why: string, by?: string): Handoff {
  const { overlap: _, ...rest } = handoff
  return log(rest, { at: now, what: 'released', ...(by !== undefined && { by }), why })
}

export function asked(handoff: Handoff, id: string, question: Said): Result<Handoff> {
  const exchange = handoff.exchange ?? []
  if (exchange.some(each => each.id === id)) return ok(handoff)
  if (!overlapOf(handoff, question.at)) return GONE
  if (exchange.length >= MAX_EXCHANGES) return refuse('too_large', `At most ${MAX_EXCHANGES} questions are asked.`)
  const { at, by } = question
  const next = { ...handoff, exchange: [...exchange, { id, question, answer: null }] }
  return ok(log(next, { at, what: 'asked', by: by.agent }))
}

export function answered(handoff: Handoff, id: string, answer: Said): Result<Handoff> {
  const { at, by } = answer
  const known = handoff.exchange?.find(each => each.id === id)
  if (known?.answer?.by.agent === by.agent) return ok(handoff)
  if (overlapOf(handoff, at)?.with.agent !== by.agent) return NOT_THERE
  if (!known) return refuse('bad_request', 'question: no such question was asked')
  const exchange = handoff.exchange?.map(each => (each === known ? { ...each, answer } : each))
  return ok(log({ ...handoff, ...(exchange && { exchange }) }, { at, what: 'answered', by: by.agent }))
}

/** By either side. */
export function released(handoff: Handoff, by: Party, now: number): Result<Handoff> {
  const overlap = overlapOf(handoff, now)
  const holder = holderOf(handoff, now)?.agent
  if (by.agent !== holder && by.agent !== overlap?.with.agent) return NOT_THERE
  return ok(overlap ? left(handoff, now, 'released', by.agent) : handoff)
}

const GONE = refuse('bad_state', 'Nobody is there to be asked: whoever handed it on has left.')
const NOT_THERE = refuse('fenced', 'You are not there any more: the time to answer is over.')
