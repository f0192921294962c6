import { SelfsameError } from '../../model/error.ts'
import type { Aliases } from './aliases.ts'

/** Joins are one step deep: a chain could not be undone one by one, and a circle would have no end. */
export function requireJoinable(known: Aliases, most: number, user: string, alias: string): void {
  if (user === alias) throw conflict('A user can not be joined to itself.')
  if (known.accountOf(alias) !== undefined)
    throw conflict(`${alias} is joined to another account. Part it there first.`)
  if (known.accountOf(user) !== undefined) throw conflict(`${user} is itself an alias. Join to its account.`)
  if (known.of(alias).length > 0) throw conflict(`${alias} has aliases of its own. Part them first.`)
  if (known.of(user).length >= most) throw conflict(`A user has at most ${most} aliases.`)
}

const conflict = (message: string) => new SelfsameError({ code: 'alias_conflict', message })
