import type { Role } from '../../model/role.ts'
import type { Schema } from '../../model/schema.ts'
import { type Scope, scopeOf } from '../../model/scope.ts'
import type { Session } from './session.ts'

/** The schema in force. It may be another one while the server runs; what was given out under the one before is then out of date. */
export class Policy {
  #schema: Schema
  #adopted = 0
  /** Scopes by how many schemas had been adopted when they were made. */
  #made = new WeakMap<Scope, number>()

  constructor(schema: Schema) {
    this.#schema = schema
  }

  get schema(): Schema {
    return this.#schema
  }

  adopt(schema: Schema): void {
    for (const role of this.#schema.roles.values()) this.#made.set(role, this.#adopted)
    this.#adopted++
    for (const role of schema.roles.values()) this.#made.set(role, this.#adopted)
    this.#schema = schema
  }

  /** A role as it is now; undefined once it is no more. */
  roleNow({ name }: Role): Role | undefined {
    return this.#schema.roles.get(name)
  }

  /** A session goes on in its role as that is now. */
  sessionNow(session: Session): Session | undefined {
    const role = this.roleNow(session.role)
    if (role === session.role) return session
    return role && { ...session, role, scope: scopeOf(role) }
  }

  /** A role narrowed by a grant. */
  narrowed(role: Role, fields: readonly string[]): Scope {
    const scope = scopeOf(role, { fields })
    this.#made.set(scope, this.#adopted)
    return scope
  }

  isOutdated(scope: Scope): boolean {
    return (this.#made.get(scope) ?? this.#adopted) !== this.#adopted
  }
}
