import { ok, type Result, refuse } from '../error.ts'
import type { Json } from '../value.ts'
import { isLive } from './grant.ts'
import {
  type Accepted,
  type Checkpoint,
  type Handoff,
  holderOf,
  type ParkReason,
  type Passing,
  type State,
} from './handoff.ts'
import { inquire } from './inquiry.ts'
import { log } from './log.ts'
import { answered, asked, attached, parted, released } from './overlap.ts'
import { meets, type Party, type Target } from './party.ts'
import { waitOf } from './policy.ts'
import { type TakeOver, takeOver } from './take-over.ts'

/** A holder speaks as who it is and of which epoch it holds. */
interface Held {
  readonly by: Party
  readonly epoch: number
}

export type Act =
  | { readonly type: 'accept'; readonly by: Party; readonly request: string; readonly lease?: number | undefined }
  | TakeOver
  | { readonly type: 'decline'; readonly by: Party; readonly why: string }
  | ({ readonly type: 'renew'; readonly asked?: readonly string[] | undefined } & Held)
  | ({
      readonly type: 'checkpoint'
      readonly checkpoint: CheckpointGiven
      readonly asked?: readonly string[] | undefined
    } & Held)
  | ({ readonly type: 'complete'; readonly result: Json } & Held)
  | ({ readonly type: 'fail'; readonly why: string; readonly retry: boolean } & Held)
  | ({ readonly type: 'return'; readonly why: string; readonly next: string } & Held)
  | ({ readonly type: 'hand'; readonly next: string } & Held)
  /** It tried to change what must stay as it is; this is only written down. */
  | ({ readonly type: 'drift'; readonly why: string } & Held)
  /** It would hand on more often than is allowed; `ends`: a person has to look. */
  | ({ readonly type: 'loop'; readonly path: string; readonly ends: boolean } & Held)
  | ({ readonly type: 'ask'; readonly id: string; readonly text: string; readonly fields: readonly string[] } & Held)
  | {
      readonly type: 'answer'
      readonly by: Party
      readonly id: string
      readonly text: string
      readonly fields: readonly string[]
    }
  | { readonly type: 'release'; readonly by: Party }
  /** Whoever handed it on stays for a while. */
  | { readonly type: 'attach'; readonly with: Party; readonly fields: readonly string[] | null }
  /** The next has been accepted. */
  | { readonly type: 'taken' }
  /** The next was taken back before anyone had accepted it. */
  | { readonly type: 'recall' }
  /** `resumes`: the sender goes on with the work, so that this one is over. */
  | { readonly type: 'revoke'; readonly by: Party; readonly why: string; readonly resumes: boolean }
  | {
      readonly type: 'replay'
      readonly by: Party
      readonly targets?: readonly Target[] | undefined
      readonly expires: number
      /** It waits for its turn among many. */
      readonly isHeld?: boolean
    }
  /** The turn of one that is held has come. */
  | { readonly type: 'deliver' }

export interface CheckpointGiven {
  /** Left out: the next. */
  readonly number?: number | undefined
  readonly state: Json
  readonly note: string
  readonly fields: readonly string[]
}

/** Milliseconds that an offer is held while nobody answers. */
const LONGEST_HOLD = 3_600_000

/** Why a holder without a sign of life is replaced. */
export const LEASE_ENDED = 'the lease ended'

/** What becomes of a handoff by an act, once all that time alone has changed before it is taken into account. */
export function step(handoff: Handoff, act: Act, now: number, chance: number): Result<Handoff> {
  const settled = elapse(handoff, now, chance)
  switch (act.type) {
    case 'accept':
      return accept(settled, act, now)
    case 'takeOver':
      return takeOver(settled, act, now)
    case 'decline':
      return decline(settled, act, now, chance)
    case 'taken':
      return ok(taken(settled, now))
    case 'recall':
      return ok(recalled(settled, now))
    case 'revoke':
      return revoke(settled, act, now)
    case 'replay':
      return replay(settled, act, now, chance)
    case 'deliver':
      return ok(delivered(settled, now, chance))
    case 'attach':
      return ok(attached(settled, act.with, act.fields, now))
    case 'answer':
      return answered(settled, act.id, { by: act.by, at: now, text: act.text, fields: act.fields })
    case 'release':
      return released(settled, act.by, now)
    default:
      return held(settled, act, now, chance)
  }
}

/** What time alone does: deliveries that nobody answered, leases and grants that ended. Ends, as each lap moves on. */
export function elapse(handoff: Handoff, now: number, chance: number): Handoff {
  let current = handoff
  for (;;) {
    const next = lapse(current, now, chance)
    if (next === current) return current
    current = next
  }
}

function lapse(given: Handoff, now: number, chance: number): Handoff {
  const handoff = parted(given, now)
  const { state, grant } = handoff
  if (state.name === 'passing') return holderOf(handoff, now) ? handoff : taken(handoff, now)
  if (state.name !== 'offered' && state.name !== 'accepted') return handoff
  if (!isLive(grant, now)) return park(handoff, 'expired', now)
  if (state.name === 'accepted') return state.lease > now ? handoff : gaveUp(handoff, LEASE_ENDED, now, chance)
  return state.again > now ? handoff : again(handoff, state, now, chance)
}

/** Offered anew from its last checkpoint, unless too many have failed at it. */
function gaveUp(handoff: Handoff, why: string, now: number, chance: number): Handoff {
  const lapses = handoff.lapses + 1
  const noted = log({ ...handoff, lapses }, { at: now, what: 'lapsed', why })
  return lapses > handoff.policy.lapses
    ? park(noted, 'lapsed', now)
    : offer({ ...noted, declined: [] }, 0, 1, now, chance)
}

function again(handoff: Handoff, state: State & { name: 'offered' }, now: number, chance: number): Handoff {
  if (state.attempt === 0) return park(handoff, 'circuit_open', now)
  if (state.attempt < handoff.policy.attempts) return offer(handoff, state.target, state.attempt + 1, now, chance)
  const to = handoff.targets[state.target]
  const exhausted = log(handoff, { at: now, what: 'exhausted', ...(to && { to }), attempt: state.attempt })
  return nextTarget(exhausted, state.target, now, chance)
}

function nextTarget(handoff: Handoff, target: number, now: number, chance: number): Handoff {
  if (target + 1 >= handoff.targets.length) return park(handoff, 'unanswered', now)
  return offer(handoff, target + 1, 1, now, chance)
}

export function offer(handoff: Handoff, target: number, attempt: number, now: number, chance: number): Handoff {
  const again = now + waitOf(handoff.policy, attempt, chance)
  const to = handoff.targets[target]
  const event = { at: now, what: 'offered', ...(to && { to }), attempt }
  return log({ ...handoff, state: { name: 'offered', target, attempt, again } }, event)
}

/** Not delivered until its turn comes; too long, and a person has to look. */
export function hold(handoff: Handoff, target: number, now: number): Handoff {
  const to = handoff.targets[target]
  const state: State = { name: 'offered', target, attempt: 0, again: now + LONGEST_HOLD }
  return log({ ...handoff, state }, { at: now, what: 'held', ...(to && { to }) })
}

const delivered = (handoff: Handoff, now: number, chance: number): Handoff =>
  handoff.state.name === 'offered' && handoff.state.attempt === 0
    ? offer(handoff, handoff.state.target, 1, now, chance)
    : handoff

/** For a person to look at; a receiver's part of a broadcast is over instead, as the sender is told who did not act. */
const park = (handoff: Handoff, why: ParkReason, now: number): Handoff =>
  handoff.broadcast === undefined
    ? parked(handoff, why, now)
    : end(handoff, { name: 'failed', by: null, at: now, why }, now)

const parked = (handoff: Handoff, why: ParkReason, now: number): Handoff =>
  log({ ...handoff, state: { name: 'parked', why, since: now } }, { at: now, what: 'parked', why })

function accept(handoff: Handoff, act: Act & { type: 'accept' }, now: number): Result<Handoff> {
  const { state, policy } = handoff
  const { agent, role } = act.by
  if (isRepeated(state, act)) return ok(handoff)
  if (state.name === 'accepted' || state.name === 'passing' || state.name === 'passed') return TAKEN
  if (state.name !== 'offered') return wrongState(handoff, 'accepted')
  const target = handoff.targets[state.target]
  if (!target || !meets(target, act.by)) return NOT_YOURS
  const lease = now + (act.lease ?? policy.lease)
  const holder = { agent, role, request: act.request }
  const accepted: Accepted = { name: 'accepted', holder, lease }
  const patient = { ...policy, lease: act.lease ?? policy.lease }
  const taken = { ...handoff, policy: patient, epoch: handoff.epoch + 1, state: accepted }
  return ok(log(taken, { at: now, what: 'accepted', by: agent, to: target }))
}

/** The answer to it was lost, and it was sent again. */
const isRepeated = (state: State, { by, request }: Act & { type: 'accept' }): boolean =>
  (state.name === 'accepted' || state.name === 'passing') &&
  state.holder.agent === by.agent &&
  state.holder.request === request

function decline(
  handoff: Handoff,
  { by, why }: Act & { type: 'decline' },
  now: number,
  chance: number,
): Result<Handoff> {
  const { state, declined } = handoff
  if (declined.includes(by.agent)) return ok(handoff)
  if (state.name !== 'offered') return wrongState(handoff, 'declined')
  const target = handoff.targets[state.target]
  if (!target || !meets(target, by)) return NOT_YOURS
  const said = { at: now, what: 'declined', by: by.agent, why, to: target }
  const noted = log({ ...handoff, declined: [...declined, by.agent] }, said)
  if (noted.broadcast !== undefined && target.agent !== undefined)
    return ok(end(noted, { name: 'failed', by, at: now, why: 'declined' }, now))
  return ok(target.agent === undefined ? noted : nextTarget(noted, state.target, now, chance))
}

type HeldAct = Extract<Act, Held>

/** What only the holder may do, and only while it is. */
function held(handoff: Handoff, act: HeldAct, now: number, chance: number): Result<Handoff> {
  const { state } = handoff
  if (isDone(handoff, act)) return ok(handoff)
  if (state.name !== 'accepted' && state.name !== 'passing')
    return isPast(handoff, act) ? FENCED : wrongState(handoff, act.type)
  if (act.epoch !== handoff.epoch || act.by.agent !== state.holder.agent || !holderOf(handoff, now)) return FENCED
  if (handoff.broadcast !== undefined && MOVES.has(act.type)) return PART
  const lease = Math.max(state.lease, now + handoff.policy.lease)
  const alive = inquire({ ...handoff, state: { ...state, lease } }, askedFor(act))
  if (act.type === 'ask') return asked(alive, act.id, { by: act.by, at: now, text: act.text, fields: act.fields })
  if (state.name === 'passing') return whilePassing(alive, act, now)
  return whileAccepted(alive, act, now, chance)
}

/** The fields that its holder says it asks for, or has asked the user for. */
function askedFor(act: HeldAct): readonly string[] {
  if (act.type === 'ask') return act.fields
  return act.type === 'renew' || act.type === 'checkpoint' ? (act.asked ?? []) : []
}

function whilePassing(handoff: Handoff, act: HeldAct, now: number): Result<Handoff> {
  if (act.type === 'renew') return ok(handoff)
  if (act.type === 'checkpoint') return ok(checkpointed(handoff, act, now))
  return wrongState(handoff, act.type)
}

function whileAccepted(
  handoff: Handoff,
  act: Exclude<HeldAct, { type: 'ask' }>,
  now: number,
  chance: number,
): Result<Handoff> {
  const { by } = act
  switch (act.type) {
    case 'renew':
      return ok(handoff)
    case 'checkpoint':
      return ok(checkpointed(handoff, act, now))
    case 'complete':
      return ok(end(handoff, { name: 'completed', by, at: now, result: act.result }, now))
    case 'return':
      return ok(end(handoff, { name: 'returned', by, at: now, why: act.why, next: act.next }, now))
    case 'fail':
      if (act.retry) return ok(gaveUp(handoff, act.why, now, chance))
      return ok(end(handoff, { name: 'failed', by, at: now, why: act.why }, now))
    case 'hand':
      return ok(handed(handoff, act, now))
    case 'drift':
      return ok(log(handoff, { at: now, what: 'drift refused', by: by.agent, why: act.why }))
    case 'loop':
      return ok(looped(handoff, act, now))
  }
}

function handed(handoff: Handoff, { by, next }: HeldAct & { type: 'hand' }, now: number): Handoff {
  const { holder, lease } = handoff.state as Accepted
  return log(
    { ...handoff, state: { name: 'passing', holder, lease, next } },
    { at: now, what: 'handed on', by: by.agent },
  )
}

function looped(handoff: Handoff, { by, path, ends }: HeldAct & { type: 'loop' }, now: number): Handoff {
  const noted = log(handoff, { at: now, what: 'hop limit', by: by.agent, why: path })
  return ends ? park(noted, 'hop_limit', now) : noted
}

/** One that comes late, or again, changes nothing: checkpoints never go back. */
function checkpointed(
  handoff: Handoff,
  { by, epoch, checkpoint }: HeldAct & { type: 'checkpoint' },
  now: number,
): Handoff {
  const last = handoff.checkpoint?.number ?? 0
  const number = checkpoint.number ?? last + 1
  if (number <= last) return handoff
  const { state, note, fields } = checkpoint
  const made: Checkpoint = { number, epoch, by, at: now, state, note, fields }
  return { ...handoff, checkpoint: made }
}

const end = (handoff: Handoff, state: State & { by: Party | null }, now: number): Handoff =>
  log(
    { ...handoff, state },
    { at: now, what: state.name, ...(state.by && { by: state.by.agent }), ...('why' in state && { why: state.why }) },
  )

const ENDED = { complete: 'completed', fail: 'failed', return: 'returned' } as const

/** Sent again because the answer was lost. */
function isDone({ state, epoch }: Handoff, act: HeldAct): boolean {
  if (act.epoch !== epoch) return false
  if (act.type === 'complete' || act.type === 'fail' || act.type === 'return')
    return state.name === ENDED[act.type] && state.by?.agent === act.by.agent
  if (act.type !== 'hand') return false
  if (state.name === 'passing') return state.next === act.next && state.holder.agent === act.by.agent
  return state.name === 'passed' && state.next === act.next && state.by.agent === act.by.agent
}

/** Whether the speaker once held it, and so is late rather than mistaken. */
const isPast = ({ epoch }: Handoff, act: HeldAct): boolean => act.epoch <= epoch

function taken(handoff: Handoff, now: number): Handoff {
  const { state } = handoff
  if (state.name !== 'passing') return handoff
  const { agent, role } = state.holder
  return end(handoff, { name: 'passed', by: { agent, role }, at: now, next: state.next }, now)
}

function recalled(handoff: Handoff, now: number): Handoff {
  const { state } = handoff
  if (state.name !== 'passing') return handoff
  const { holder, lease }: Passing = state
  return log(
    { ...handoff, state: { name: 'accepted', holder, lease } },
    { at: now, what: 'taken back', by: holder.agent },
  )
}

function revoke(handoff: Handoff, { by, why, resumes }: Act & { type: 'revoke' }, now: number): Result<Handoff> {
  const { state, grant } = handoff
  if (grant.revoked !== undefined) return ok(handoff)
  if (state.name !== 'offered' && state.name !== 'accepted' && state.name !== 'parked')
    return wrongState(handoff, 'revoked')
  const revoked = log(
    { ...handoff, grant: { ...grant, revoked: now } },
    { at: now, what: 'revoked', by: by.agent, why },
  )
  if (resumes && state.name !== 'accepted') return ok(end(revoked, { name: 'failed', by, at: now, why }, now))
  return ok(park(revoked, 'revoked', now))
}

function replay(handoff: Handoff, act: Act & { type: 'replay' }, now: number, chance: number): Result<Handoff> {
  const { state, grant } = handoff
  if (state.name !== 'parked' && state.name !== 'failed') return wrongState(handoff, 'replayed')
  const { revoked: _, ...kept } = grant
  const renewed = { ...kept, expires: act.expires, by: act.by.agent }
  const fresh = { ...handoff, targets: act.targets ?? handoff.targets, grant: renewed, lapses: 0, declined: [] }
  const noted = log(fresh, { at: now, what: 'replayed', by: act.by.agent })
  return ok(act.isHeld ? hold(noted, 0, now) : offer(noted, 0, 1, now, chance))
}

/** What can't be done with one receiver's part of a broadcast. */
const MOVES: ReadonlySet<Act['type']> = new Set(['hand', 'return', 'loop'])
const PART = refuse('bad_state', 'It is your part of a broadcast: complete it, fail it or decline it.')

const TAKEN = refuse('handoff_taken', 'Someone else has accepted it.')
const NOT_YOURS = refuse('handoff_unavailable', 'No such handoff that you may see.')
const FENCED = refuse('fenced', 'You no longer hold it: stop, and keep what you did to yourself.')

const wrongState = ({ state }: Handoff, what: string): Result<never> =>
  refuse('bad_state', `It is ${state.name} and can't be ${past(what)} now.`)

const past = (what: string): string =>
  ({
    complete: 'completed',
    fail: 'failed',
    return: 'returned',
    hand: 'handed on',
    renew: 'renewed',
    checkpoint: 'given a checkpoint',
  })[what] ?? what
