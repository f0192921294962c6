/** Every way the model says no. The list is closed: a new refusal is a new line here, in SPEC.md and in a test. */
export const CODES = {
  bad_request: 'The input does not have the expected shape; `details` names the path and what is allowed there.',
  field_unavailable: 'No such field that you may use. The schema, as your role sees it, lists the ones you may.',
  bad_value: 'The value does not fit the field. The message says what fits.',
  value_too_large: 'The value is larger than the limit. Store the whole elsewhere and observe what matters of it.',
  value_too_deep: 'The record is nested deeper than the limit. Flatten it, or use several fields.',
  bad_confidence: 'Confidence is a number above 0 and at most 1, or left out for the default of your role.',
  bad_time: '`at` is milliseconds since 1970 or an ISO 8601 time with an offset, or left out for now.',
  time_ahead: '`at` lies in the future. Check the clock of the sender, or leave `at` out.',
  time_too_old: '`at` lies further back than late words are taken. The message says how far that is.',
  bad_id: 'Ids are 1 to 128 letters, digits or any of _ . : ~ -',
  denial_not_allowed: 'Only a person may deny a value of this field. Observe what is so instead.',
  retraction_not_allowed: 'An agent may retract only its own words; a person may retract any within its fields.',
  unknown_role: 'No role of that name. The message lists the roles there are.',
  bad_schema: 'The schema has errors; `details` lists each with its path and what is allowed there.',
  atomic_refused:
    'Another observation of this atomic batch was refused, so none was admitted. Mend that one and send anew.',
  unauthorized: 'The token is missing, invalid, expired or revoked. Get a new one and connect again.',
  forbidden: 'Your role may not do this.',
  user_unavailable: 'No such user that you may reach. Work on a user begins with a handoff or an assignment.',
  erased: 'The user was erased after this was said, or while it was done. It is not taken any more.',
  handoff_unavailable: 'No such handoff that you may see.',
  handoff_taken: 'Someone else has accepted this handoff. There is nothing to do for you.',
  fenced: 'You no longer hold this handoff: it was taken over, or its lease or grant has ended. Stop working on it.',
  bad_state: 'The handoff is in a state in which this is not possible. The message names the state.',
  hop_limit: 'The work was handed on as often as is allowed. Complete it, fail it, or hand it to a person anew.',
  drift:
    'The intent, constraints and bounds of a grant stay as they are down the chain. Hand on without changing what `details` names.',
  over_budget: 'What must not be left out takes more tokens than were allowed. The message says how many it takes.',
  version_unsupported: 'This major version of envelopes is not known here. Send one of those the message names.',
  result_unexpected: 'The result does not fit what is expected. `details` names the path; the work is not complete.',
  alias_conflict: 'These two can not be joined as they are. The message says what stands in the way; part that first.',
  not_found: 'Nothing is served at this path. /openapi.json lists what is.',
  too_large: 'The message is larger than the limit. Send less at a time.',
  rate_limited: 'Too many requests. Wait as long as the message says, then send again with the same ids.',
  quota_exceeded: 'This user holds as much evidence as is allowed. It shrinks by itself as evidence fades.',
  overloaded: 'The server has more to do than it can hold. Wait a moment, then send again with the same ids.',
  not_yet: 'The version asked for did not arrive in time. Read again, or without `atLeast`.',
  stopped: 'The server is going down or its disk has failed. Send again with the same ids once it is back.',
  disconnected: 'The connection ended before the answer came. What has an id is settled by sending it again.',
  timed_out: 'No answer came in time. What has an id is settled by sending it again.',
  internal: 'A fault of the server, which is in its log.',
} as const

export type Code = keyof typeof CODES

/** A refusal as it travels: the same over every door. */
export interface Refusal {
  readonly code: Code
  readonly message: string
  readonly details?: readonly Detail[]
}

export interface Detail {
  readonly path: string
  readonly message: string
}

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Refusal }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })

export const refuse = (code: Code, message: string, details?: readonly Detail[]): Result<never> => ({
  ok: false,
  error: details ? { code, message, details } : { code, message },
})

export class SelfsameError extends Error {
  readonly code: Code
  readonly details: readonly Detail[]

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.name = 'SelfsameError'
    this.code = refusal.code
    this.details = refusal.details ?? []
  }
}

/** For callers for whom a refusal is a bug of their own, such as a schema written in code. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new SelfsameError(result.error)
}
