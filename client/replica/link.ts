import { WebsocketProvider } from 'y-websocket'
import type { Doc } from 'yjs'
import { type Code, SelfsameError } from '../../model/error.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import { Backoff } from '../backoff.ts'
import type { Environment } from '../bare-environment.ts'
import { refusal } from '../refusal.ts'
import { within } from '../socket.ts'
import { type Token, TokenSource } from '../token.ts'

const FINAL: ReadonlyMap<number, Code> = new Map([
  [CLOSE.forbidden, 'forbidden'],
  [CLOSE.tooLarge, 'too_large'],
  [CLOSE.badFrame, 'bad_request'],
])

export interface LinkEvents {
  /** Everything the server had when it was asked is here. */
  synced(): void
  lost(): void
  /** The document holds what may not be read any more: give a new one to `begin`. */
  afresh(): void
  ended(error: SelfsameError): void
}

export interface LinkOptions {
  readonly url: URL
  readonly user: string
  readonly token: Token
  readonly environment: Environment
}

/** Keeps a document in step with the server, across lost connections, ended tokens and documents that had to be left. */
export class Link {
  readonly #options: LinkOptions
  readonly #events: LinkEvents
  readonly #tokens: TokenSource
  readonly #backoff: Backoff
  #provider: WebsocketProvider | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(options: LinkOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
    this.#tokens = new TokenSource(options.token)
    this.#backoff = new Backoff(options.environment.random)
  }

  /** Connects a document in the place of any earlier one. */
  begin(doc: Doc): void {
    this.#provider?.destroy()
    this.#provider = undefined
    this.#connect(doc).catch((error: unknown) => this.#failed(doc, error))
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#again)
    this.#provider?.destroy()
  }

  async #connect(doc: Doc): Promise<void> {
    const { url, user, environment } = this.#options
    const { WebSocket, protocols } = await environment.dial({ url, token: await this.#tokens.get() })
    if (this.#isOver) return
    const base = within(url, 'v1/replica')
    base.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    // Between tabs content would pass from one token to another with no server in between: hence disableBc.
    const provider = new WebsocketProvider(base.href, encodeURIComponent(user), doc, {
      WebSocketPolyfill: WebSocket,
      protocols,
      disableBc: true,
    })
    this.#provider = provider
    provider.on('sync', isSynced => isSynced && this.#synced())
    provider.on('connection-close', () => this.#events.lost())
    provider.on('closed', ({ code, reason }) => this.#closed(doc, code, reason))
  }

  #synced(): void {
    this.#tokens.accepted()
    this.#backoff.reset()
    this.#events.synced()
  }

  #closed(doc: Doc, code: number, reason: string): void {
    const final = FINAL.get(code)
    if (code === CLOSE.startAfresh) this.#events.afresh()
    else if (final) this.#fail(refusal(final, `The server closed the replica with ${code}: ${reason}.`))
    else this.#failed(doc, refusal('unauthorized', reason))
  }

  /** A ticket may have ended before its token, and a token may have a successor: both are tried before giving up. */
  #failed(doc: Doc, error: unknown): void {
    if (this.#isOver) return
    const isRefused = error instanceof SelfsameError && error.code === 'unauthorized'
    if (isRefused && !this.#tokens.renew()) this.#fail(error)
    else this.#again = setTimeout(() => this.begin(doc), this.#backoff.next())
  }

  #fail(error: SelfsameError): void {
    this.end()
    this.#events.ended(error)
  }
}
