/**
 * Follows the frames in the bytes that come in, to tell since when a message has been incomplete: the socket library
 * tells only of complete ones, and a ping in between must not make a slow message young again.
 *
 *   byte 0   0x80 last of its message · 0x0f opcode, from 8 on a control frame, which may stand between fragments
 *   byte 1   0x80 masked · length; 126: the next 2 bytes are the length, 127: the next 8
 *   then     4 bytes of mask if masked, and the payload
 *
 * What is no frame at all is for the library to find out; it ends the connection.
 */
const LAST = 0x80
const OPCODE = 0x0f
const CONTROL = 8
const MASKED = 0x80
const LENGTH = 0x7f
const LONG = 126
const LONGER = 127
const LONGEST_HEADER = 14

export class Assembly {
  readonly #header = Buffer.alloc(LONGEST_HEADER)
  #read = 0
  /** Bytes of payload that are still to come, once the header is complete. */
  #left: number | undefined
  #isFragmented = false
  #since: number | undefined

  /** When the first byte of a message that is not complete came in; undefined when there is none. */
  get since(): number | undefined {
    return this.#since
  }

  /** Counts anew from here: it was this side that did not read. */
  renew(now: number): void {
    if (this.#since !== undefined) this.#since = now
  }

  take(bytes: Buffer, now: number): void {
    let at = 0
    while (at < bytes.length) {
      this.#since ??= now
      at = this.#left === undefined ? this.#readHeader(bytes, at) : this.#skip(bytes, at, this.#left)
      if (this.#left === 0) this.#endFrame()
    }
  }

  #readHeader(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + headerLength(this.#header, this.#read) - this.#read)
    this.#read += bytes.copy(this.#header, this.#read, at, end)
    if (this.#read === headerLength(this.#header, this.#read)) this.#left = payloadLength(this.#header)
    return end
  }

  #skip(bytes: Buffer, at: number, left: number): number {
    const end = Math.min(bytes.length, at + left)
    this.#left = left - (end - at)
    return end
  }

  #endFrame(): void {
    const first = this.#header.readUInt8(0)
    if ((first & OPCODE) < CONTROL) this.#isFragmented = (first & LAST) === 0
    if (!this.#isFragmented) this.#since = undefined
    this.#read = 0
    this.#left = undefined
  }
}

/** As far as it can be told from the bytes that were read. */
function headerLength(header: Buffer, read: number): number {
  if (read < 2) return 2
  const second = header.readUInt8(1)
  const length = second & LENGTH
  return 2 + (length === LONG ? 2 : length === LONGER ? 8 : 0) + (second & MASKED ? 4 : 0)
}

function payloadLength(header: Buffer): number {
  const length = header.readUInt8(1) & LENGTH
  if (length === LONG) return header.readUInt16BE(2)
  return length === LONGER ? Number(header.readBigUInt64BE(2)) : length
}
