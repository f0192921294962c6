import type { Random } from './backoff.ts'
import type { Monotonic } from './clock.ts'
import { RHYTHM, type Rhythm } from './pulse.ts'
import type { OpenSocket } from './socket.ts'
import { type Browser, browserSocket, type TicketRequest } from './socket-browser.ts'

/** What the client takes from the world around it: a way to connect, chance and time. */
export interface Environment {
  readonly open: OpenSocket
  readonly random: Random
  readonly monotonic: Monotonic
  readonly rhythm: Rhythm
}

export const bare = (open: OpenSocket): Environment => ({
  open,
  random: Math.random,
  monotonic: () => performance.now(),
  rhythm: RHYTHM,
})

export function browserEnvironment(): Environment {
  const { WebSocket, fetch }: Partial<Browser> = globalThis
  if (!WebSocket || !fetch) throw new Error('Selfsame needs Node, or a browser that has WebSocket and fetch.')
  const browser = { WebSocket, fetch: (url: string, request: TicketRequest) => fetch(url, request) }
  return bare(browserSocket(browser))
}
