import { SelfsameError, unwrap } from '../../model/error.ts'
import type { AliasesAnswer } from '../../model/wire/alias.ts'
import type { Session } from '../access/session.ts'
import { type Alias, JOINS } from '../alias/aliases.ts'
import { requireJoinable } from '../alias/joinable.ts'
import type { Desk } from './desk.ts'
import type { AliasRequest } from './request.ts'

/** The action of a role or grant by which names are joined and parted. */
const JOIN = 'join'

/** From now on what is known of the alias is known of the user as well. Nothing is moved, so that it can be undone. */
export async function join(desk: Desk, session: Session, { user, alias }: AliasRequest): Promise<AliasesAnswer> {
  requireAuthority(desk, session, user, alias)
  const { rooms, keeper, house } = desk
  // The alias has a key from now on, by which it finds its account.
  await house.archive.mac(alias)
  const other = await rooms.hold(alias)
  try {
    await rooms.with(user, async room => {
      await keeper.change(JOINING, () =>
        keeper.change(user, docket => {
          if (house.aliases.accountOf(alias) === user) return
          requireJoinable(house.aliases, house.limits.aliasesPerUser, user, alias)
          const paper = house.aliases.paperOf(alias)
          const { count, gone } = house.aliases.joinsOf(user)
          docket.papers.set(paper, { alias, by: session.agent, at: house.now() } satisfies Alias)
          docket.papers.set(JOINS, { count: count + 1, gone })
          docket.filed.push(paper)
        }),
      )
      // The account's room holds the alias' from now on.
      const held = await rooms.hold(alias)
      await room.join(held.room, held.release)
    })
  } finally {
    other.release()
  }
  house.journal.did(session, user, 'alias', { what: 'join' })
  house.journal.did(session, alias, 'alias', { what: 'join' })
  return aliases(desk, session, user)
}

/** What is known of the alias is known of it alone again. */
export async function part(desk: Desk, session: Session, { user, alias }: AliasRequest): Promise<AliasesAnswer> {
  requireAuthority(desk, session, user, alias)
  const { house } = desk
  await partNames(desk, user, alias)
  house.journal.did(session, user, 'alias', { what: 'part' })
  house.journal.did(session, alias, 'alias', { what: 'part' })
  return aliases(desk, session, user)
}

export async function partNames({ rooms, keeper, house }: Desk, user: string, alias: string): Promise<void> {
  await rooms.with(alias, other =>
    rooms.with(user, async room => {
      await keeper.change(JOINING, () =>
        keeper.change(user, docket => {
          if (house.aliases.accountOf(alias) !== user) return
          const { count, gone } = house.aliases.joinsOf(user)
          docket.papers.set(house.aliases.paperOf(alias), undefined)
          docket.papers.set(JOINS, { count: count + 1, gone: gone + other.head.seq })
        }),
      )
      await room.part(other)
    }),
  )
}

/** The names that are joined to a user, as far as the caller reaches them; a person is told all of their own. */
export function aliases(desk: Desk, session: Session, user: string): AliasesAnswer {
  desk.scope(session, user)
  const { authority, aliases: known } = desk.house
  const isTold = (name: string) => session.agent === user || authority.scope(session, name).ok
  const account = known.accountOf(user)
  return {
    user,
    aliases: known.of(user).filter(({ alias }) => isTold(alias)),
    ...(account !== undefined && authority.scope(session, account).ok && { account }),
  }
}

/** Changes of who is joined to whom wait for each other, whoever they are about. No user can be called so. */
const JOINING = '@joining'

/** Reach to both is decided before anything is looked up. */
function requireAuthority({ house }: Desk, session: Session, user: string, alias: string): void {
  const names = [user, alias]
  for (const name of names) unwrap(house.authority.scope(session, name))
  if (!names.every(name => house.authority.mayAct(session, name, JOIN)))
    throw new SelfsameError({ code: 'forbidden', message: `Your role needs the action "${JOIN}" for this.` })
}
