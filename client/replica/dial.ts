import type { Target } from '../socket.ts'

/** What a Yjs provider needs to connect as this agent: a kind of socket and the subprotocols to offer. */
export interface Dialled {
  readonly WebSocket: typeof globalThis.WebSocket
  readonly protocols: string[]
}

/** Rejects with a SelfsameError of code `unauthorized` when the token was turned down. */
export type Dial = (target: Target) => Promise<Dialled>
