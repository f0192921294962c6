import { Patterns } from './pattern.ts'
import type { Role } from './role.ts'

/** The fields an agent may read and write now: its role's, or of these only the ones a grant names as well. */
export interface Scope {
  readonly read: Patterns
  readonly write: Patterns
}

/** What narrows a role for the time of a handoff. It names fields; it can't add any the role does not have. */
export interface GrantedFields {
  readonly fields: readonly string[]
}

export const scopeOf = (role: Role, grant?: GrantedFields): Scope => {
  if (!grant) return role
  const granted = new Patterns(grant.fields)
  return { read: role.read.and(granted), write: role.write.and(granted) }
}
