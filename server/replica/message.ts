import { writeVarString, writeVarUint, writeVarUint8Array } from 'lib0/encoding'
import { isClient } from './author.ts'
import { Bytes, Malformed } from './bytes.ts'
import { encode } from './encoding.ts'

/**
 * The messages of y-websocket:
 *
 *   0 sync        0 what I have (state vector) · 1 what you lack (update) · 2 update
 *   1 awareness   states of clients
 *   2 auth        not used: who is refused is told by the code of the close
 *   3 query       who is there?
 */
const SYNC = 0
const AWARENESS = 1
const QUERY_AWARENESS = 3

const STEP_1 = 0
const STEP_2 = 1
const UPDATE = 2

export type Message =
  | { readonly type: 'has'; readonly stateVector: Uint8Array }
  | { readonly type: 'update'; readonly update: Uint8Array }
  | { readonly type: 'awareness'; readonly own: AwarenessState | undefined }
  | { readonly type: 'query' }

export interface AwarenessState {
  readonly client: number
  readonly clock: number
  /** JSON; null when the client is gone. */
  readonly state: string
}

export function readMessage(data: Uint8Array): Message {
  const bytes = new Bytes(data)
  switch (bytes.varUint()) {
    case SYNC:
      return readSync(bytes)
    case AWARENESS:
      return { type: 'awareness', own: readAwareness(bytes.varBytes()) }
    case QUERY_AWARENESS:
      return { type: 'query' }
    default:
      throw new Malformed()
  }
}

function readSync(bytes: Bytes): Message {
  switch (bytes.varUint()) {
    case STEP_1:
      return { type: 'has', stateVector: bytes.varBytes() }
    case STEP_2:
    case UPDATE:
      return { type: 'update', update: bytes.varBytes() }
    default:
      throw new Malformed()
  }
}

/** Clients pass on what they heard of others too. Theirs is the first that has an id such as clients give themselves. */
function readAwareness(data: Uint8Array): AwarenessState | undefined {
  const bytes = new Bytes(data)
  for (let left = bytes.varUint(); left > 0; left--) {
    const [client, clock, state] = [bytes.varUint(), bytes.varUint(), bytes.varBytes()]
    if (isClient(client)) return { client, clock, state: state.toString('utf8') }
  }
  return undefined
}

const sync = (step: number, payload: Uint8Array): Uint8Array =>
  encode(encoder => {
    writeVarUint(encoder, SYNC)
    writeVarUint(encoder, step)
    writeVarUint8Array(encoder, payload)
  })

export const hasMessage = (stateVector: Uint8Array): Uint8Array => sync(STEP_1, stateVector)

export const lacksMessage = (update: Uint8Array): Uint8Array => sync(STEP_2, update)

export const updateMessage = (update: Uint8Array): Uint8Array => sync(UPDATE, update)

/** With no states it says only that the connection is alive. */
export const awarenessMessage = (states: readonly AwarenessState[]): Uint8Array =>
  encode(encoder => {
    writeVarUint(encoder, AWARENESS)
    writeVarUint8Array(
      encoder,
      encode(inner => {
        writeVarUint(inner, states.length)
        for (const { client, clock, state } of states) {
          writeVarUint(inner, client)
          writeVarUint(inner, clock)
          writeVarString(inner, state)
        }
      }),
    )
  })
