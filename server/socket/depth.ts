const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const

/**
 * Whether JSON text nests at most so deep, told from its bytes: parsing what is nested a hundred thousand times takes
 * long, and what was parsed keeps the collector busy. Of what is no JSON it may say anything; the parser refuses it.
 */
export function isWithinDepth(text: Uint8Array, most: number): boolean {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    if (isQuoted && byte === BACKSLASH) at++
    else if (byte === QUOTE) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > most) return false
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
  }
  return true
}
