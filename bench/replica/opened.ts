import { WebSocket } from 'ws'

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

export const said = (pieces: Iterable<Piece>): Map<string, unknown> => {
  const read = new Map<string, unknown>()
  for (const { field, value } of pieces) read.set(field, value)
  return read
}

/** All sides have the same kind of socket. */
export function socketWith(headers: Readonly<Record<string, string>>): typeof globalThis.WebSocket {
  class Socket extends WebSocket {
    constructor(url: string, protocols: string[] = []) {
      super(url, protocols, { headers, perMessageDeflate: false })
    }
  }
  // `ws` has the interface of a browser's socket as far as providers use it.
  return Socket as unknown as typeof globalThis.WebSocket
}
