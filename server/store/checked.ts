import { crc32 } from 'node:zlib'

const CRC_BYTES = 4

/** Bytes behind their checksum, for what is stored unsealed: LMDB itself notices no flipped bit. */
export function checked(bytes: Uint8Array): Uint8Array {
  const cell = Buffer.allocUnsafe(CRC_BYTES + bytes.length)
  cell.writeUInt32LE(crc32(bytes), 0)
  cell.set(bytes, CRC_BYTES)
  return cell
}

/** The bytes, or undefined when they are not those that were written. */
export function unchecked(cell: Uint8Array): Uint8Array | undefined {
  if (cell.length < CRC_BYTES) return undefined
  const bytes = cell.subarray(CRC_BYTES)
  return Buffer.from(cell.buffer, cell.byteOffset).readUInt32LE(0) === crc32(bytes) ? bytes : undefined
}

/** A row of numbers: eight bytes each. */
export function row(...numbers: readonly number[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(numbers.length * 8)
  numbers.forEach((number, index) => {
    bytes.writeDoubleLE(number, index * 8)
  })
  return bytes
}

export function numberAt(bytes: Uint8Array, index: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).readDoubleLE(index * 8)
}
