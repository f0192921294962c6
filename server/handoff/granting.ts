import type { Grant, GrantRequest } from '../../model/handoff/grant.ts'
import type { Session } from '../access/session.ts'
import type { Limits } from '../limits.ts'

/** Ends no later than the sender's own, however often and to whomever it is handed on, and names no more than that. */
export function grantOf(
  limits: Limits,
  { agent }: Session,
  user: string,
  request: GrantRequest | undefined,
  now: number,
  own: Grant | null,
): Grant {
  const ends = now + bounded(request?.ttl ?? limits.grant, limits.grantMaximum)
  return {
    fields: request?.fields ?? own?.fields ?? null,
    actions: request?.actions ?? own?.actions ?? null,
    principal: request?.principal ?? own?.principal ?? user,
    expires: Math.min(ends, own?.expires ?? ends),
    by: agent,
  }
}

export const bounded = (wanted: number, most: number): number => Math.min(wanted, most)
