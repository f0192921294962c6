import { WebSocket } from 'ws'
import { closingOf } from './refused-upgrade.ts'
import { type OpenSocket, socketUrl } from './socket.ts'

/** An export of everything about one user is the largest answer there is. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** In Node the token travels as a header of the upgrade. */
export const openSocket: OpenSocket = ({ url, token }, events) => {
  const socket = new WebSocket(socketUrl(url), {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: MAX_ANSWER_BYTES,
  })
  let reason = ''
  socket.on('message', data => events.message(data.toString()))
  socket.on('ping', () => events.heard())
  socket.on('pong', () => events.heard())
  socket.on('unexpected-response', (_request, response) => {
    silence()
    socket.terminate()
    events.closed(closingOf(response.statusCode ?? 0))
  })
  socket.on('error', error => {
    reason = error.message
  })
  socket.on('close', (code, given) => events.closed({ code, reason: given.toString() || reason }))

  /** `ws` reports an aborted handshake as an error, and an error without a listener ends the process. */
  function silence(): void {
    socket.removeAllListeners()
    socket.on('error', () => undefined)
  }

  return {
    send: text => socket.send(text),
    close: (code, why) => socket.close(code, why),
    cut: () => {
      silence()
      socket.terminate()
    },
  }
}
