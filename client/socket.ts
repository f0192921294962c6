/** A connection as the rest of the client sees it, in Node and in browsers. */
export interface Socket {
  send(text: string): void
  close(code: number, reason: string): void
  /** Ends it without waiting for the other side, which may be gone. No event follows. */
  cut(): void
}

export interface SocketEvents {
  message(text: string): void
  /** A sign of life that is no message. */
  heard(): void
  /** Comes once, also when the connection was never made. */
  closed(closing: Closing): void
}

export interface Closing {
  readonly code: number
  readonly reason: string
}

export interface Target {
  /** Where the server is: http or https, perhaps with a path. */
  readonly url: URL
  readonly token: string
}

export type OpenSocket = (target: Target, events: SocketEvents) => Socket

/** The code of a connection that ended without one. */
export const LOST = 1006

export function socketUrl(base: URL): URL {
  const url = within(base, 'v1/agent')
  url.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:'
  return url
}

/** A path below the base, which itself may have one: behind a proxy the server need not live at the root. */
export function within(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/$/, '')}/${path}`
  return url
}
