import { SelfsameError } from '../../model/error.ts'
import type { Session } from '../access/session.ts'
import type { Desk } from './desk.ts'
import type { RevokeRequest } from './request.ts'

const ACTION = 'revoke'

/** Anyone may end their own token or all of their own; those of others only a role with the action `revoke`. */
export async function revoke(desk: Desk, session: Session, { token, agent }: RevokeRequest): Promise<void> {
  const isOwn = (token === undefined || token === session.tokenId) && (agent === undefined || agent === session.agent)
  if (!isOwn && !session.role.actions.includes(ACTION))
    throw new SelfsameError({ code: 'forbidden', message: `Your role lacks the action "${ACTION}".` })
  await desk.gate.revocations.add({ token, agent }, desk.house.now())
  desk.house.journal.did(session, undefined, 'revocation', {
    what: isOwn ? 'own' : 'other',
  })
}
