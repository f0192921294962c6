import { CLOSE } from '../model/wire/frame.ts'
import { type Closing, LOST } from './socket.ts'

/** What an HTTP status in place of a connection means; any but these two may be different next time. */
export function closingOf(status: number): Closing {
  const reason = `the server answered with HTTP status ${status}`
  if (status === 401) return { code: CLOSE.unauthorized, reason }
  if (status === 403) return { code: CLOSE.forbidden, reason }
  return { code: LOST, reason }
}
