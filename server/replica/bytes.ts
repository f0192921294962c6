/** What was sent is not what it claims to be. */
export class Malformed extends Error {
  constructor() {
    super('The bytes are no message of the protocol.')
    this.name = 'Malformed'
  }
}

/** Values deeper than this are no observations, and are passed over. */
const MAX_DEPTH = 32

/** Plain data as lib0 writes it: one byte for the kind, then the value. */
const UNDEFINED = 127
const NULL = 126
const INTEGER = 125
const FLOAT32 = 124
const FLOAT64 = 123
const BIGINT = 122
const FALSE = 121
const TRUE = 120
const STRING = 119
const OBJECT = 118
const ARRAY = 117
const BYTES = 116

/** What can't be said in JSON; as a member of an object it is left out, elsewhere it spoils the value. */
export const UNFIT: unique symbol = Symbol('unfit')

/**
 * Reads what a stranger sent, byte by byte. A length is never trusted: nothing is reserved for it, and whoever claims more
 * than there is runs into the end.
 */
export class Bytes {
  readonly #bytes: Buffer
  #at = 0
  #isTooDeep = false

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  uint8(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new Malformed()
    this.#at++
    return byte
  }

  /** Seven bits a byte, lowest first; 0x80 says that more follow. */
  varUint(): number {
    let value = 0
    for (let factor = 1; factor <= Number.MAX_SAFE_INTEGER; factor *= 128) {
      const byte = this.uint8()
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return safe(value)
    }
    throw new Malformed()
  }

  /** As varUint, but the first byte has the sign at 0x40 and six bits. */
  #varInt(): number {
    const first = this.uint8()
    const sign = first & 0x40 ? -1 : 1
    let value = first & 0x3f
    if (first < 0x80) return sign * value
    for (let factor = 64; factor <= Number.MAX_SAFE_INTEGER; factor *= 128) {
      const byte = this.uint8()
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return sign * safe(value)
    }
    throw new Malformed()
  }

  take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new Malformed()
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  varBytes(): Buffer {
    return this.take(this.varUint())
  }

  varString(): string {
    return this.varBytes().toString('utf8')
  }

  /** A value as plain data with nothing but own properties, or that it is none. */
  value(): unknown {
    this.#isTooDeep = false
    const value = this.#value(0)
    return this.#isTooDeep ? UNFIT : value
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) return this.#passOver()
    const kind = this.uint8()
    switch (kind) {
      case UNDEFINED:
        return UNFIT
      case NULL:
        return null
      case INTEGER:
        return this.#varInt()
      case FLOAT32:
        return finite(this.take(4).readFloatBE())
      case FLOAT64:
        return finite(this.take(8).readDoubleBE())
      case BIGINT:
        this.take(8)
        return UNFIT
      case FALSE:
        return false
      case TRUE:
        return true
      case STRING:
        return this.varString()
      case OBJECT:
        return this.#object(depth)
      case ARRAY:
        return this.#array(depth)
      case BYTES:
        this.varBytes()
        return UNFIT
      default:
        throw new Malformed()
    }
  }

  /** Without calling itself: a few bytes nest as deep as there are bytes. */
  #passOver(): typeof UNFIT {
    this.#isTooDeep = true
    const open = [{ left: 1, hasKeys: false }]
    for (let inner = open.at(-1); inner; inner = open.at(-1)) {
      if (inner.left-- === 0) open.pop()
      else {
        if (inner.hasKeys) this.varBytes()
        const kind = this.#bytes[this.#at]
        if (kind === OBJECT || kind === ARRAY) {
          this.#at++
          open.push({ left: this.varUint(), hasKeys: kind === OBJECT })
        } else this.#value(0)
      }
    }
    return UNFIT
  }

  #object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    for (let left = this.varUint(); left > 0; left--) {
      const key = this.varString()
      const value = this.#value(depth + 1)
      if (value !== UNFIT)
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
    }
    return object
  }

  #array(depth: number): unknown {
    const array: unknown[] = []
    for (let left = this.varUint(); left > 0; left--) array.push(this.#value(depth + 1))
    return array.includes(UNFIT) ? UNFIT : array
  }
}

function safe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Malformed()
  return value
}

const finite = (value: number): unknown => (Number.isFinite(value) ? value : UNFIT)
