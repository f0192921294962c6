import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Code } from '../../model/error.ts'

/** How each code reads as an HTTP status. */
const STATUS: Partial<Record<Code, ContentfulStatusCode>> = {
  unauthorized: 401,
  forbidden: 403,
  user_unavailable: 404,
  field_unavailable: 404,
  handoff_unavailable: 404,
  not_found: 404,
  handoff_taken: 409,
  fenced: 409,
  erased: 410,
  bad_state: 409,
  alias_conflict: 409,
  hop_limit: 409,
  drift: 409,
  result_unexpected: 422,
  too_large: 413,
  rate_limited: 429,
  quota_exceeded: 429,
  overloaded: 503,
  stopped: 503,
  not_yet: 504,
  internal: 500,
}

export const statusOf = (code: Code): ContentfulStatusCode => STATUS[code] ?? 400
