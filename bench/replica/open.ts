import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'
import { Doc } from 'yjs'
import { connect } from '../../client/index.ts'
import type { Hocuspocus } from './hocuspocus.ts'

/** What stands under one key of a document: what was said of a field, and by whom and when. */
export type Piece = Readonly<Record<string, unknown>> & { readonly field: string; readonly value: unknown }

/** A replica that has all that there is. */
export interface Opened {
  /** What it says of each field. */
  read(): Map<string, unknown>
  close(): void
}

export type Open = (user: string) => Promise<Opened>

export const EVIDENCE = 'evidence'

/** An unmodified provider of y-websocket at our server. */
export const byProvider =
  (url: string, token: string) =>
  async (user: string): Promise<Opened & { readonly doc: Doc }> => {
    const doc = new Doc()
    const provider = new WebsocketProvider(`${url.replace('http', 'ws')}/v1/replica`, user, doc, {
      WebSocketPolyfill: socketWith({ authorization: `Bearer ${token}` }),
      disableBc: true,
    })
    await new Promise<void>((resolve, reject) => {
      provider.on('sync', isSynced => isSynced && resolve())
      provider.on('closed', ({ code, reason }) => reject(new Error(`closed with ${code}: ${reason}`)))
    })
    return {
      doc,
      read: () => said(doc.getMap<Piece>(EVIDENCE).values()),
      close: () => provider.destroy(),
    }
  }

/** The SDK at our server: beliefs are worked out from the evidence. */
export async function bySdk(url: string, token: string): Promise<Open> {
  const desk = await connect({ url, token })
  return async user => {
    const replica = await desk.user(user).replica()
    return {
      read: () => new Map([...replica.entries()].map(([field, { value }]) => [field, value])),
      close: () => {
        replica.close()
      },
    }
  }
}

/** The provider of Hocuspocus at its own server. */
export function byHocuspocus({ provider: { HocuspocusProvider }, yjs }: Hocuspocus, url: string, token: string): Open {
  const polyfill = socketWith({})
  return async user => {
    const document = new yjs.Doc()
    const provider = await new Promise<InstanceType<typeof HocuspocusProvider>>((resolve, reject) => {
      const made = new HocuspocusProvider({
        url,
        name: user,
        document,
        token,
        WebSocketPolyfill: polyfill,
        onSynced: () => resolve(made),
        onAuthenticationFailed: ({ reason }) => reject(new Error(`Hocuspocus refused: ${reason}`)),
      })
    })
    return {
      read: () => said(document.getMap<Piece>(EVIDENCE).values()),
      close: () => provider.destroy(),
    }
  }
}

const said = (pieces: Iterable<Piece>): Map<string, unknown> => {
  const read = new Map<string, unknown>()
  for (const { field, value } of pieces) read.set(field, value)
  return read
}

/** All sides have the same kind of socket. */
function socketWith(headers: Readonly<Record<string, string>>): typeof globalThis.WebSocket {
  class Socket extends WebSocket {
    constructor(url: string, protocols: string[] = []) {
      super(url, protocols, { headers, perMessageDeflate: false })
    }
  }
  // `ws` has the interface of a browser's socket as far as providers use it.
  return Socket as unknown as typeof globalThis.WebSocket
}
