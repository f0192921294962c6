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
