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
