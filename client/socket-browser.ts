import { closingOf } from './refused-upgrade.ts'
import {
  type Closing,
  LOST,
  type OpenSocket,
  type Socket,
  type SocketEvents,
  socketUrl,
  type Target,
  within,
} from './socket.ts'

/** What is used of a browser, so that no more of one is needed to run. */
export interface Browser {
  readonly WebSocket: new (url: string, protocols: string[]) => BrowserSocket
  readonly fetch: (url: string, request: TicketRequest) => Promise<TicketResponse>
}

interface BrowserSocket {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: Closing) => void): void
  send(text: string): void
  close(code?: number, reason?: string): void
}

export interface TicketRequest {
  readonly method: 'POST'
  readonly headers: { readonly authorization: string }
  readonly signal: AbortSignal
}

interface TicketResponse {
  readonly ok: boolean
  readonly status: number
  json(): Promise<unknown>
}

/**
 * A browser can't set headers on an upgrade and a token does not belong into a URL: the token is changed for a ticket,
 * which travels as a subprotocol.
 */
export const browserSocket =
  (browser: Browser): OpenSocket =>
  (target, events) =>
    new TicketedSocket(browser, target, events)

/** Over as soon as it was cut or has closed; what the browser reports later is of no interest. */
class TicketedSocket implements Socket {
  readonly #browser: Browser
  readonly #events: SocketEvents
  readonly #asking = new AbortController()
  #socket: BrowserSocket | undefined
  #over = false

  constructor(browser: Browser, { url, token }: { url: URL; token: string }, events: SocketEvents) {
    this.#browser = browser
    this.#events = events
    this.#askTicket(url, token).then(
      ticket => ticket !== undefined && this.#open(url, ticket),
      error => this.#closed({ code: LOST, reason: String(error) }),
    )
  }

  send(text: string): void {
    this.#socket?.send(text)
  }

  close(code: number, reason: string): void {
    this.#asking.abort()
    this.#socket?.close(code, reason)
  }

  cut(): void {
    this.#over = true
    this.#asking.abort()
    this.#socket?.close()
  }

  async #askTicket(url: URL, token: string): Promise<string | undefined> {
    const response = await askTicket(this.#browser, { url, token }, this.#asking.signal)
    if (response.ok) return ticketIn(await response.json())
    this.#closed(closingOf(response.status))
    return undefined
  }

  #open(url: URL, ticket: string): void {
    if (this.#over) return
    const socket = new this.#browser.WebSocket(socketUrl(url).href, ['selfsame', ticket])
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => !this.#over && this.#events.message(String(data)))
    socket.addEventListener('close', ({ code, reason }) => this.#closed({ code, reason }))
  }

  #closed(closing: Closing): void {
    if (this.#over) return
    this.#over = true
    this.#events.closed(closing)
  }
}

const askTicket = ({ fetch }: Browser, { url, token }: Target, signal: AbortSignal): Promise<TicketResponse> =>
  fetch(within(url, 'v1/tickets').href, { method: 'POST', headers: { authorization: `Bearer ${token}` }, signal })

function ticketIn(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'ticket' in body && typeof body.ticket === 'string')
    return body.ticket
  throw new Error('The server gave no ticket.')
}
