import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import type { World } from '../server/support/world.ts'

/** A plain Yjs document kept by an unmodified provider, and every byte the provider has ever been sent. */
export class Provided {
  readonly doc: Y.Doc
  readonly provider: WebsocketProvider
  readonly received: Uint8Array[] = []
  readonly closures: number[] = []

  constructor(world: Pick<World, 'url'>, user: string, token: string, doc = new Y.Doc()) {
    this.doc = doc
    const { received } = this
    class Socket extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { headers: { authorization: `Bearer ${token}` } })
        this.on('message', data => received.push(Uint8Array.from(data as Buffer)))
      }
    }
    this.provider = new WebsocketProvider(`${world.url.replace('http', 'ws')}/v1/replica`, user, this.doc, {
      WebSocketPolyfill: Socket as unknown as typeof globalThis.WebSocket,
      disableBc: true,
    })
    this.provider.on('closed', ({ code }) => this.closures.push(code))
    onTestFinished(() => this.provider.destroy())
  }

  async synced(): Promise<this> {
    await vi.waitUntil(() => this.provider.synced, { timeout: 5_000 })
    return this
  }

  get evidence(): Record<string, Record<string, unknown>> {
    return this.doc.getMap('evidence').toJSON()
  }

  get words(): readonly [unknown, unknown][] {
    return Object.values(this.evidence).map(({ field, value }) => [field, value])
  }

  get receipts(): Record<string, { status: string; error?: { code: string } }> {
    return this.doc.getMap('receipts').toJSON()
  }

  get outbox(): Y.Map<unknown> {
    return this.doc.getMap('outbox')
  }
}

export const provide = async (world: World, user: string, agent: string, role: string, doc?: Y.Doc) =>
  new Provided(world, user, await world.token(agent, role), doc)
