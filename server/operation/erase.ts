import { SelfsameError } from '../../model/error.ts'
import type { Session } from '../access/session.ts'
import { partNames } from './alias.ts'
import type { Desk } from './desk.ts'

const ACTION = 'erase'

export interface Erased {
  readonly user: string
  readonly erased: true
}

/** Everything that is known of a user, under all names that are joined to it, is gone when this settles. */
export async function erase(desk: Desk, session: Session, user: string): Promise<Erased> {
  desk.scope(session, user)
  if (session.role.reach !== 'self' && !session.role.actions.includes(ACTION))
    throw new SelfsameError({ code: 'forbidden', message: `Only the user, or a role with the action "${ACTION}".` })
  const { aliases } = desk.house
  const account = aliases.accountOf(user)
  if (account !== undefined) await partNames(desk, account, user)
  for (const { alias } of aliases.of(user)) {
    await partNames(desk, user, alias)
    await eraseOne(desk, session, alias)
  }
  await eraseOne(desk, session, user)
  return { user, erased: true }
}

async function eraseOne({ house, keeper, rooms }: Desk, session: Session, user: string): Promise<void> {
  const { archive, journal, now } = house
  await keeper.erase(user, () => rooms.erase(user, () => archive.erase(user, now())))
  journal.forget(user)
  // Who erased themselves is not named: that would keep what was to be forgotten.
  const by = session.role.reach === 'self' ? {} : { agent: session.agent }
  journal.note({ at: now(), kind: 'erasure', role: session.role.name, what: archive.digestOf(user), ...by })
  await journal.flush()
}
