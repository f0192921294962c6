import { LRUCache } from 'lru-cache'
import { ok, type Result, refuse } from '../../model/error.ts'
import { type Grant, may } from '../../model/handoff/grant.ts'
import { type Handoff, holderOf } from '../../model/handoff/handoff.ts'
import { overlapOf } from '../../model/handoff/overlap.ts'
import { Patterns } from '../../model/pattern.ts'
import type { Role } from '../../model/role.ts'
import { type Scope, scopeOf } from '../../model/scope.ts'
import type { Aliases } from '../alias/aliases.ts'
import type { Policy } from './policy.ts'
import type { Session } from './session.ts'

/** Told when what an agent may do with a user has changed. */
export type AuthorityListener = (agent: string, user: string) => void

/** By which handoff, and which time it was accepted, something is done. */
export interface Under {
  readonly handoff: string
  readonly epoch: number
}

const MAX_SCOPES = 10_000

/**
 * What a session may read and write of a user now, if it may have to do with them at all. That is decided before
 * anything is looked up, so that a refusal can't tell whether the user exists.
 */
export class Authority {
  readonly policy: Policy
  readonly #now: () => number
  readonly #aliases: Pick<Aliases, 'of'>
  readonly #listeners = new Set<AuthorityListener>()
  readonly #byAgent = new Map<string, Set<AuthorityListener>>()
  /** Handoffs that someone holds, by user. */
  readonly #held = new Map<string, Map<string, Handoff>>()
  readonly #scopes = new LRUCache<string, Scope>({ max: MAX_SCOPES })

  constructor(now: () => number, aliases: Pick<Aliases, 'of'>, policy: Policy) {
    this.#now = now
    this.#aliases = aliases
    this.policy = policy
  }

  /** One scope is one object for as long as it holds: views are kept by it. */
  scope(given: Session, user: string, under?: Under): Result<Scope> {
    const session = this.policy.sessionNow(given)
    if (!session) return GONE
    if (under) return this.#under(session, user, under)
    const { agent, role, scope } = session
    switch (role.reach) {
      case 'all':
        return ok(scope)
      case 'self':
        return agent === user ? ok(scope) : UNAVAILABLE
      case 'assigned':
        return this.#assigned(session, user)
    }
  }

  /** What an agent holds of a user now; of several, the last it accepted. */
  heldBy(user: string, agent: string): Handoff | undefined {
    const now = this.#now()
    return [...(this.#held.get(user)?.values() ?? [])].findLast(held => holderOf(held, now)?.agent === agent)
  }

  /** Whether a session may do something with a user that it reaches: its role may, and the grant by which it reaches it. */
  mayAct(session: Session, user: string, action: string): boolean {
    if (session.role.reach !== 'assigned') return session.role.actions.includes(action)
    return this.#holdings(session, user).some(({ grant }) => may(grant, session.role, action, {}, this.#now()).allowed)
  }

  /** The receiver's role as it is now, and of it only what the grant names; nothing of a role that is no more. */
  granted(role: Role, { fields }: Pick<Grant, 'fields'>): Scope {
    const now = this.policy.roleNow(role)
    if (!now) return this.policy.narrowed(role, [])
    if (fields === null) return scopeOf(now)
    const key = `${role.name}\n${fields.join('\n')}`
    const known = this.#scopes.get(key)
    if (known && !this.policy.isOutdated(known)) return known
    const made = this.policy.narrowed(now, fields)
    this.#scopes.set(key, made)
    return made
  }

  /** Takes effect at once. To be called before a change is durable as far as it takes away, and after as far as it gives. */
  hold(user: string, handoff: Handoff): void {
    const held = this.#held.get(user) ?? new Map<string, Handoff>()
    held.delete(handoff.id)
    if (handoff.state.name === 'accepted' || handoff.state.name === 'passing') held.set(handoff.id, handoff)
    if (held.size > 0) this.#held.set(user, held)
    else this.#held.delete(user)
  }

  release(user: string, id: string): void {
    this.#held.get(user)?.delete(id)
  }

  /** The handoff by which a session has to do with a user now, if it holds one. */
  handoffOf(session: Session, user: string): string | undefined {
    return this.#holdings(session, user).at(-1)?.id
  }

  onChange(listener: AuthorityListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** For one agent of very many. */
  onChangeOf(agent: string, listener: AuthorityListener): () => void {
    const listeners = this.#byAgent.get(agent) ?? new Set()
    this.#byAgent.set(agent, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#byAgent.delete(agent)
    }
  }

  changed(agent: string, user: string): void {
    for (const listener of [...this.#listeners, ...(this.#byAgent.get(agent) ?? [])]) listener(agent, user)
  }

  #under(session: Session, user: string, { handoff, epoch }: Under): Result<Scope> {
    const held = this.#held.get(user)?.get(handoff) ?? this.#underAlias(session, user, handoff)
    return held?.epoch === epoch && this.#isHolder(session, held) ? ok(this.granted(session.role, held.grant)) : FENCED
  }

  /** Work that was begun under another name of the user is done under this one by who reaches it without any handoff. */
  #underAlias({ role }: Session, user: string, handoff: string): Handoff | undefined {
    if (role.reach !== 'all') return undefined
    const alias = this.#aliases.of(user).find(each => this.#held.get(each.alias)?.has(handoff))
    return alias && this.#held.get(alias.alias)?.get(handoff)
  }

  /** Of several that an agent holds, what any of them reaches; what one of them denies stays denied. */
  #assigned(session: Session, user: string): Result<Scope> {
    const held = this.#holdings(session, user)
    if (held.length === 0) return this.#attached(session, user)
    const named = held.flatMap(({ grant }) => (grant.fields === null ? [] : [grant.fields]))
    const fields = named.length < held.length ? null : [...new Set(named.flat())].sort()
    return ok(this.granted(session.role, { fields }))
  }

  /** Who has handed on and stays for a while may read as before, and write nothing. */
  #attached({ agent, role }: Session, user: string): Result<Scope> {
    const now = this.#now()
    const overlap = [...(this.#held.get(user)?.values() ?? [])]
      .map(each => overlapOf(each, now))
      .find(each => each?.with.agent === agent && each.with.role === role.name)
    if (!overlap) return UNAVAILABLE
    const key = `read\n${role.name}\n${overlap.fields?.join('\n') ?? ''}`
    const { read } = this.granted(role, overlap)
    const known = this.#scopes.get(key) ?? { read, write: NOTHING }
    this.#scopes.set(key, known)
    return ok(known)
  }

  #holdings(session: Session, user: string): Handoff[] {
    return [...(this.#held.get(user)?.values() ?? [])].filter(each => this.#isHolder(session, each))
  }

  #isHolder({ agent, role }: Session, held: Handoff): boolean {
    const holder = holderOf(held, this.#now())
    return holder?.agent === agent && holder.role === role.name
  }
}

const NOTHING = new Patterns([])
const UNAVAILABLE = refuse('user_unavailable', 'No such user that you may reach.')
const GONE = {
  ok: false,
  error: { code: 'unauthorized', message: 'Your role is no more. Ask for a token of another.' },
} as const
const FENCED = refuse('fenced', 'You do not hold that handoff, or no longer. Stop working on it.')
