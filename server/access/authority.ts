import { ok, type Result, refuse } from '../../model/error.ts'
import type { Scope } from '../../model/scope.ts'
import type { Session } from './session.ts'

/** Told when what an agent may do with a user has changed. */
export type AuthorityListener = (agent: string, user: string) => void

/**
 * What a session may read and write of a user now, if it may have to do with them at all. That is decided before
 * anything is looked up, so that a refusal can't tell whether the user exists.
 */
export class Authority {
  readonly #listeners = new Set<AuthorityListener>()

  /** One scope is one object for as long as it holds: views are kept by it. */
  scope({ agent, role, scope }: Session, user: string): Result<Scope> {
    switch (role.reach) {
      case 'all':
        return ok(scope)
      case 'self':
        return agent === user ? ok(scope) : UNAVAILABLE
      case 'assigned':
        return UNAVAILABLE
    }
  }

  onChange(listener: AuthorityListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  changed(agent: string, user: string): void {
    for (const listener of this.#listeners) listener(agent, user)
  }
}

const UNAVAILABLE = refuse('user_unavailable', 'No such user that you may reach.')
