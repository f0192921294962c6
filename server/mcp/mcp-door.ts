import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { SelfsameError } from '../../model/error.ts'
import { INSTRUCTIONS, offer } from '../../model/toolset/toolset.ts'
import type { Doorkeeper } from '../access/doorkeeper.ts'
import type { Session } from '../access/session.ts'
import type { Desk } from '../operation/desk.ts'
import { Listening } from './listening.ts'
import { SessionDesk } from './session-desk.ts'

/** Streams of change notifications that are open at once, of one agent, and addresses that one may name. */
const MAX_STREAMS = 1_000
const MAX_STREAMS_PER_AGENT = 32
const MAX_ADDRESSES = 64
const LISTEN = 'subscriptions/listen'

interface Stream {
  readonly session: Session
  close(): void
}

/**
 * MCP over HTTP. Each request stands alone under its own token: there are no sessions to keep, to guess or to take over.
 * Only streams of change notifications last; they are bounded, and end with the token they were opened with.
 */
export class McpDoor {
  readonly #desk: Desk
  readonly #keeper: Doorkeeper
  readonly #version: string
  readonly #streams = new Set<Stream>()

  constructor(desk: Desk, keeper: Doorkeeper, version: string) {
    this.#desk = desk
    this.#keeper = keeper
    this.#version = version
  }

  async serve(session: Session, request: Request): Promise<Response> {
    const body = request.method === 'POST' ? await readBody(request) : undefined
    const uris = urisIn(body)
    if (uris) this.#requireRoom(session, uris)
    const handler = createMcpHandler(() => this.#server(session), {
      ...(uris && { bus: new Listening(this.#desk, session, uris) }),
      onerror: () => {},
    })
    const response = await handler.fetch(request, body === undefined ? {} : { parsedBody: body })
    return uris && response.body ? this.#streaming(session, response, handler) : response
  }

  /** To be called now and then: streams end with their token. */
  review(): void {
    for (const stream of this.#streams) if (!this.#desk.gate.admits(stream.session)) stream.close()
  }

  close(): void {
    for (const stream of this.#streams) stream.close()
  }

  get size(): number {
    return this.#streams.size
  }

  #server(session: Session): McpServer {
    const capabilities = { tools: {}, resources: { subscribe: true } }
    const server = new McpServer(
      { name: 'selfsame', version: this.#version },
      { instructions: INSTRUCTIONS, capabilities },
    )
    const desk = new SessionDesk(this.#desk, session, this.#keeper)
    offer(server, desk, (uri, list) => new ResourceTemplate(uri, { list }))
    return server
  }

  #requireRoom({ agent }: Session, uris: readonly string[]): void {
    const own = [...this.#streams].filter(stream => stream.session.agent === agent).length
    if (this.#streams.size >= MAX_STREAMS || own >= MAX_STREAMS_PER_AGENT)
      throw new SelfsameError({ code: 'overloaded', message: `At most ${MAX_STREAMS_PER_AGENT} streams an agent.` })
    if (uris.length > MAX_ADDRESSES)
      throw new SelfsameError({ code: 'too_large', message: `At most ${MAX_ADDRESSES} addresses a stream.` })
  }

  #streaming(session: Session, response: Response, handler: { close(): Promise<void> }): Response {
    const stream = { session, close: () => void handler.close() }
    this.#streams.add(stream)
    const ended = new TransformStream<Uint8Array, Uint8Array>()
    const { status, headers } = response
    response.body
      ?.pipeTo(ended.writable)
      .catch(() => undefined)
      .finally(() => this.#streams.delete(stream))
    return new Response(ended.readable, { status, headers })
  }
}

async function readBody(request: Request): Promise<unknown> {
  const text = await request.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new SelfsameError({ code: 'bad_request', message: 'The body is not JSON.' })
  }
}

/** The addresses that a request to listen names; undefined for any other request. */
function urisIn(body: unknown): readonly string[] | undefined {
  if (!isObject(body) || body['method'] !== LISTEN) return undefined
  const params = isObject(body['params']) ? body['params'] : {}
  const filter = isObject(params['notifications']) ? params['notifications'] : {}
  const uris = filter['resourceSubscriptions']
  return Array.isArray(uris) ? uris.filter(uri => typeof uri === 'string') : []
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
