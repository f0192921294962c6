import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { closingOf } from './refused-upgrade.ts'
import { type OpenSocket, socketUrl } from './socket.ts'

/** An export of everything about one user is the largest answer there is. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** A server that is gone does not say goodbye, and the process should not wait for it. */
const GOODBYE_WITHIN = 1_000

/** In Node the token travels as a header of the upgrade. */
export const openSocket: OpenSocket = ({ url, token }, events) => {
  const socket = new WebSocket(socketUrl(url), {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: MAX_ANSWER_BYTES,
  })
  let reason = ''
  let together: (() => void) | undefined
  socket.on('upgrade', response => {
    together = corking(response.socket)
  })
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
    send: text => {
      together?.()
      socket.send(text)
    },
    close: (code, why) => {
      socket.close(code, why)
      setTimeout(() => socket.terminate(), GOODBYE_WITHIN).unref()
    },
    cut: () => {
      silence()
      socket.terminate()
    },
  }
}

/** Messages that are worth a call to the system of their own. */
const TOGETHER = 8

/** Messages of one turn of the event loop go to the system together, but none waits for many others. */
function corking(wire: Socket): () => void {
  let waiting = 0
  const uncork = () => {
    if (waiting > 0) wire.uncork()
    waiting = 0
  }
  return () => {
    if (waiting >= TOGETHER) uncork()
    if (waiting === 0) {
      wire.cork()
      setImmediate(uncork)
    }
    waiting++
  }
}
