import { ok, type Result, refuse } from '../../model/error.ts'
import type { Role } from '../../model/role.ts'
import { type Scope, scopeOf } from '../../model/scope.ts'

/** Who is asking: an agent in a role, by one token. */
export interface Session {
  readonly agent: string
  readonly role: Role
  readonly scope: Scope
  readonly tokenId: string
  /** When the token was made and when it ends, in milliseconds since 1970. */
  readonly issued: number
  readonly expires: number
}

export const sessionOf = (
  agent: string,
  role: Role,
  token: Pick<Session, 'tokenId' | 'issued' | 'expires'>,
): Session => ({
  agent,
  role,
  scope: scopeOf(role),
  ...token,
})

/**
 * Whether the session may have to do with a user at all, decided before anything is looked up, so that the answer can't
 * tell whether the user exists.
 */
export function reach(session: Session, user: string): Result<void> {
  switch (session.role.reach) {
    case 'all':
      return ok(undefined)
    case 'self':
      return session.agent === user ? ok(undefined) : UNAVAILABLE
    case 'assigned':
      return UNAVAILABLE
  }
}

const UNAVAILABLE = refuse('user_unavailable', 'No such user that you may reach.')
