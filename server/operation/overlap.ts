import { randomBytes } from 'node:crypto'
import type { HandoffSeen } from '../../model/wire/handoff.ts'
import type { Session } from '../access/session.ts'
import { partyOf } from '../handoff/counter.ts'
import type { Desk } from './desk.ts'
import type { AnswerRequest, AskRequest, ReleaseRequest } from './handoff-request.ts'
import { change } from './holding.ts'
import { inquiring } from './inquiry.ts'

/** While whoever handed the work on is still there: its holder asks, it answers, and either may let the other go. */

export const ask = (desk: Desk, session: Session, request: AskRequest): Promise<HandoffSeen> => {
  const { handoff, epoch, text, fields = [], request: id = randomBytes(8).toString('hex') } = request
  return inquiring(desk, session, handoff, docket =>
    docket.step(handoff, { type: 'ask', by: partyOf(session), epoch, id, text, fields }),
  )
}

export const answer = (desk: Desk, session: Session, request: AnswerRequest): Promise<HandoffSeen> => {
  const { handoff, question: id, text, fields = [] } = request
  return change(desk, handoff, docket =>
    docket.step(handoff, { type: 'answer', by: partyOf(session), id, text, fields }),
  )
}

export const release = (desk: Desk, session: Session, { handoff }: ReleaseRequest): Promise<HandoffSeen> =>
  change(desk, handoff, docket => docket.step(handoff, { type: 'release', by: partyOf(session) }))
