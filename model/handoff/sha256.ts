/**
 * SHA-256 (FIPS 180-4) in plain loops: pages that came over plain http have no crypto of their own, and what verifies an
 * envelope must not have to wait. The server hands its own, faster one to the same functions.
 */
const PRIMES = 64
const ROUND = constants(1 / 3, PRIMES)
const START = constants(1 / 2, 8)

/** The first 32 bits of the fractional parts of roots of the first primes. */
function constants(power: number, count: number): Uint32Array {
  const found = new Uint32Array(count)
  for (let candidate = 2, at = 0; at < count; candidate++)
    if (isPrime(candidate)) found[at++] = (candidate ** power % 1) * 2 ** 32
  return found
}

function isPrime(candidate: number): boolean {
  for (let factor = 2; factor * factor <= candidate; factor++) if (candidate % factor === 0) return false
  return true
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** The message, a 1 bit, zeros, and its length in bits as the last eight bytes of a block. */
function padded(message: Uint8Array): DataView {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  bytes.set(message)
  bytes[message.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 8, Math.floor((message.length * 8) / 2 ** 32))
  view.setUint32(bytes.length - 4, (message.length * 8) >>> 0)
  return view
}

function schedule(view: DataView, block: number): Uint32Array {
  const words = new Uint32Array(PRIMES)
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(block + i * 4)
  for (let i = 16; i < PRIMES; i++) {
    const [early, late] = [words[i - 15] as number, words[i - 2] as number]
    const low = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
    const high = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)
    words[i] = (words[i - 16] as number) + low + (words[i - 7] as number) + high
  }
  return words
}

function compress(hash: Uint32Array, words: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < PRIMES; i++) {
    const mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    const first = (h + mixed + ((e & f) ^ (~e & g)) + (ROUND[i] as number) + (words[i] as number)) | 0
    const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i] = (hash[i] as number) + word
}

/** The digest of a text's UTF-8 bytes, in hexadecimal. */
export function sha256(text: string): string {
  const view = padded(new TextEncoder().encode(text))
  const hash = START.slice()
  for (let block = 0; block < view.byteLength; block += 64) compress(hash, schedule(view, block))
  return Array.from(hash, word => word.toString(16).padStart(8, '0')).join('')
}
