import { WebsocketProvider } from 'y-websocket'
import { Doc } from 'yjs'
import { connect } from '../../client/index.ts'
import { EVIDENCE, type Open, type Opened, type Piece, said, socketWith } from './opened.ts'

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
      close: () => {
        provider.destroy()
        doc.destroy()
      },
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
