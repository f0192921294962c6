import type { Code } from '../../model/error.ts'
import type { Session } from '../access/session.ts'

/** Someone asked for what is not theirs. */
export interface Denial {
  readonly session: Session | undefined
  readonly what: string
  readonly user: string | undefined
  readonly code: Code
}

/** Refusals that say: not yours. */
export const DENIALS: ReadonlySet<Code> = new Set([
  'unauthorized',
  'forbidden',
  'field_unavailable',
  'user_unavailable',
  'handoff_unavailable',
  'fenced',
  'retraction_not_allowed',
  'denial_not_allowed',
])
