import { randomBytes } from 'node:crypto'
import { SelfsameError, unwrap } from '../../model/error.ts'
import { may as mayDo, type Permission } from '../../model/handoff/grant.ts'
import { type Report, reported, type Work } from '../../model/handoff/work.ts'
import { isPerson } from '../../model/role.ts'
import type { HandoffSeen } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { partyOf } from '../handoff/counter.ts'
import type { Docket } from '../handoff/docket.ts'
import { requireExpected } from '../handoff/expected.ts'
import { grantOf } from '../handoff/granting.ts'
import { summaryOf } from '../handoff/summary.ts'
import { scopeUnder } from './accept.ts'
import type { Desk } from './desk.ts'
import type {
  CheckpointRequest,
  CompleteRequest,
  DeclineRequest,
  FailRequest,
  MayRequest,
  RenewRequest,
  ReplayRequest,
  ReportRequest,
  WithdrawRequest,
} from './handoff-request.ts'
import { inquiring } from './inquiry.ts'

/** What becomes of a handoff once it is there. */

export const decline = (desk: Desk, session: Session, { handoff, why }: DeclineRequest): Promise<HandoffSeen> =>
  change(desk, handoff, docket => docket.step(handoff, { type: 'decline', by: partyOf(session), why }))

export const renew = (desk: Desk, session: Session, { handoff, epoch }: RenewRequest): Promise<HandoffSeen> =>
  change(desk, handoff, docket => docket.step(handoff, { type: 'renew', by: partyOf(session), epoch }))

/** Puts threads, validations, notes, agreements and decisions into the work. A sign of life as well. */
export const report = (desk: Desk, session: Session, request: ReportRequest): Promise<HandoffSeen> => {
  const { handoff, epoch, ...given } = request
  return inquiring(desk, session, handoff, docket => {
    const kept = docket.step(handoff, { type: 'renew', by: partyOf(session), epoch, asked: given.asked })
    docket.works.set(kept.handoff.work, within(desk, session, docket, request, given))
    return kept
  })
}

/** A point from which another can go on. With it may come all that `report` takes. */
export const checkpoint = (desk: Desk, session: Session, request: CheckpointRequest): Promise<HandoffSeen> => {
  const { handoff, epoch, number, state = null, note = '', fields = [], ...given } = request
  return inquiring(desk, session, handoff, docket => {
    const checkpoint = { number, state, note, fields }
    const by = partyOf(session)
    const kept = docket.step(handoff, { type: 'checkpoint', by, epoch, checkpoint, asked: given.asked })
    docket.works.set(kept.handoff.work, within(desk, session, docket, request, given))
    return kept
  })
}

function within(
  desk: Desk,
  session: Session,
  docket: Docket,
  { handoff, epoch }: { readonly handoff: string; readonly epoch: number },
  given: Report,
): Work {
  const scope = scopeUnder(desk, session, docket.user, handoff, epoch)
  const work = docket.work(docket.get(handoff).handoff.work)
  const reporting = { by: partyOf(session), scope, now: docket.now, newId: () => randomBytes(8).toString('hex') }
  return unwrap(reported(work, given, reporting))
}

/** A result that does not fit what was expected is refused, and the work goes on. */
export const complete = (desk: Desk, session: Session, request: CompleteRequest): Promise<HandoffSeen> => {
  const { handoff, epoch, result = null } = request
  return change(desk, handoff, docket => {
    const kept = docket.step(handoff, { type: 'complete', by: partyOf(session), epoch, result })
    requireExpected(kept.message.expected, result)
    return kept
  })
}

export const fail = (desk: Desk, session: Session, request: FailRequest): Promise<HandoffSeen> => {
  const { handoff, epoch, why, retry = false } = request
  return change(desk, handoff, docket =>
    docket.step(handoff, { type: 'fail', by: partyOf(session), epoch, why, retry }),
  )
}

/** Ends a handoff's authority at once. Its sender goes on with the work if it still has it, else a person is asked. */
export const withdraw = (desk: Desk, session: Session, { handoff, why }: WithdrawRequest): Promise<HandoffSeen> =>
  change(desk, handoff, docket => {
    const { from, previous, broadcast } = docket.get(handoff).handoff
    if (from?.agent !== session.agent) requireAction(session, 'revoke', desk, docket.user)
    const before =
      previous === null || broadcast !== undefined ? undefined : docket.find(previous) && docket.elapse(previous)
    const resumes = before?.handoff.state.name === 'passing'
    const kept = docket.step(handoff, { type: 'revoke', by: partyOf(session), why, resumes })
    if (resumes && before && kept.handoff.state.name === 'failed') docket.step(before.handoff.id, { type: 'recall' })
    return kept
  })

/** A person sends what is parked or failed on its way again, with a grant of their own. */
export const replay = (desk: Desk, session: Session, request: ReplayRequest): Promise<HandoffSeen> =>
  sentAgain(desk, session, request, false)

/** The same for one of many, which waits its turn. False: it was no longer to be replayed. */
export async function resend(desk: Desk, session: Session, request: ReplayRequest): Promise<boolean> {
  try {
    await sentAgain(desk, session, request, true)
    return true
  } catch (error) {
    if (error instanceof SelfsameError && error.code === 'bad_state') return false
    throw error
  }
}

const sentAgain = (desk: Desk, session: Session, { handoff, to, ttl }: ReplayRequest, isHeld: boolean) =>
  change(desk, handoff, docket => {
    desk.scope(session, docket.user)
    if (!isPerson(session.role)) throw new SelfsameError({ code: 'forbidden', message: 'Only people replay.' })
    if (to) unwrap(desk.house.schema.role(to.role))
    const request = ttl === undefined ? undefined : { ttl }
    const { expires } = grantOf(desk.house.limits, session, docket.user, request, docket.now, null)
    const targets = to && [to]
    return docket.step(handoff, { type: 'replay', by: partyOf(session), targets, expires, isHeld })
  })

/** Whether the grant lets the holder do something now. */
export async function may(desk: Desk, session: Session, request: MayRequest): Promise<Permission> {
  const { handoff, epoch, action, parameters = {} } = request
  const user = desk.keeper.whose(handoff)
  scopeUnder(desk, session, user, handoff, epoch)
  const kept = desk.keeper.of(user).kept.get(handoff)
  if (!kept) throw unavailable()
  return mayDo(kept.handoff.grant, session.role, action, parameters, desk.house.now())
}

export const change = (
  desk: Desk,
  handoff: string,
  act: (docket: Docket) => { readonly handoff: Parameters<typeof summaryOf>[0] },
): Promise<HandoffSeen> => {
  const user = desk.keeper.whose(handoff)
  return desk.keeper.change(user, docket => summaryOf(act(docket).handoff))
}

function requireAction(session: Session, action: string, desk: Desk, user: string): void {
  desk.scope(session, user)
  if (!session.role.actions.includes(action))
    throw new SelfsameError({ code: 'forbidden', message: `Only its sender, or a role with the action "${action}".` })
}

export const unavailable = () =>
  new SelfsameError({ code: 'handoff_unavailable', message: 'No such handoff that you may see.' })
