import {
  type AnyEncodable,
  createEncoder,
  type Encoder,
  toUint8Array,
  writeAny,
  writeUint8,
  writeVarString,
  writeVarUint,
  writeVarUint8Array,
} from 'lib0/encoding'

/** Bytes that no library would write. */
export function bytes(write: (encoder: Encoder) => void): Uint8Array {
  const encoder = createEncoder()
  write(encoder)
  return toUint8Array(encoder)
}

export type Struct = (encoder: Encoder) => void

/** An item under a key of a root, with plain data. */
export const item =
  (root: string, key: string, value: AnyEncodable): Struct =>
  encoder => {
    writeUint8(encoder, 0x28)
    writeVarUint(encoder, 1)
    writeVarString(encoder, root)
    writeVarString(encoder, key)
    writeVarUint(encoder, 1)
    writeAny(encoder, value)
  }

/** An item to the right of another, which need not exist. */
export const after =
  (client: number, clock: number, value: AnyEncodable): Struct =>
  encoder => {
    writeUint8(encoder, 0x88)
    writeVarUint(encoder, client)
    writeVarUint(encoder, clock)
    writeVarUint(encoder, 1)
    writeAny(encoder, value)
  }

const run =
  (kind: number) =>
  (length: number): Struct =>
  encoder => {
    writeUint8(encoder, kind)
    writeVarUint(encoder, length)
  }

export const gap = run(0)
export const skip = run(10)

export interface Told {
  readonly client: number
  readonly clock?: number
  readonly structs: readonly Struct[]
  /** How many it says there are. */
  readonly count?: number
}

export type Deleted = readonly [client: number, clock: number, length: number]

export const update = (told: readonly Told[], deleted: readonly Deleted[] = []): Uint8Array =>
  bytes(encoder => {
    writeVarUint(encoder, told.length)
    for (const { client, clock = 0, structs, count = structs.length } of told) {
      writeVarUint(encoder, count)
      writeVarUint(encoder, client)
      writeVarUint(encoder, clock)
      for (const struct of structs) struct(encoder)
    }
    writeVarUint(encoder, deleted.length)
    for (const [client, clock, length] of deleted) {
      writeVarUint(encoder, client)
      writeVarUint(encoder, 1)
      writeVarUint(encoder, clock)
      writeVarUint(encoder, length)
    }
  })

export const stateVector = (clocks: readonly (readonly [number, number])[]): Uint8Array =>
  bytes(encoder => {
    writeVarUint(encoder, clocks.length)
    for (const [client, clock] of clocks) {
      writeVarUint(encoder, client)
      writeVarUint(encoder, clock)
    }
  })

const sync =
  (step: number) =>
  (payload: Uint8Array): Uint8Array =>
    bytes(encoder => {
      writeVarUint(encoder, 0)
      writeVarUint(encoder, step)
      writeVarUint8Array(encoder, payload)
    })

export const hasMessage = sync(0)
export const lacksMessage = sync(1)
export const updateMessage = sync(2)

export const awareness = (...states: readonly (readonly [client: number, clock: number, state: string])[]) =>
  bytes(encoder => {
    writeVarUint(encoder, 1)
    writeVarUint8Array(
      encoder,
      bytes(inner => {
        writeVarUint(inner, states.length)
        for (const [client, clock, state] of states) {
          writeVarUint(inner, client)
          writeVarUint(inner, clock)
          writeVarString(inner, state)
        }
      }),
    )
  })

/** That it has nothing: with this every client begins. */
export const BEGIN = hasMessage(stateVector([]))
export const QUERY = Uint8Array.of(3)
