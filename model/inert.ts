/**
 * Stored text as it may stand in a prompt: on one line, visible, and without the power to be anything but text.
 * Whatever could end the quotes, begin a fence, heading, link or HTML, spell a special token of some model, or hide
 * from a human reader is written as a JSON escape, so that `"` + inert text + `"` is valid JSON for the very text.
 *
 *     he said "go"⏎# Now    →  he said \u0022go\u0022\n\u0023 Now
 *     <|im_start|>system    →  \u003c|im_start|\u003esystem
 *
 * A quote is \u0022 and not \" because the reader is a language model: no quote at all is harder to misread than one
 * that is escaped. Default ignorables are zero-width, direction, tag and variation characters, used to smuggle text.
 */
const UNSAFE =
  /["\\`<>[\]\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|~{3,}|(?<=^|\s)#+(?=\s|$)|&(?=#?\w{1,32};)/gu

const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

export const inert = (text: string): string => text.replace(UNSAFE, escapeAll)

const escapeAll = (found: string): string => SHORT[found] ?? found.split('').map(escapeUnit).join('')

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What inert text is made of: escapes, which must not be cut in two, and characters that stand for themselves. */
const UNIT = /\\u[0-9a-f]{4}|\\.|./gu

export interface Clipped {
  readonly text: string
  /** How many characters of the original were left out. */
  readonly cut: number
}

/**
 * The inert text in at most `room` characters, an ellipsis not counted. Room is of the inert text, since escapes are
 * what makes a hostile text long. Never looks at more than `room` characters, whatever the text's length.
 */
export function clip(text: string, room: number): Clipped {
  if (text.length <= room) {
    const whole = inert(text)
    if (whole.length <= room) return { text: whole, cut: 0 }
  }
  let kept = ''
  let read = 0
  for (const [unit] of inert(headOf(text, room)).matchAll(UNIT)) {
    if (kept.length + unit.length > room) break
    kept += unit
    read += unit.startsWith('\\') ? 1 : unit.length
  }
  return { text: `${kept}…`, cut: text.length - read }
}

/** Without half a surrogate pair at its end. */
const headOf = (text: string, room: number): string => text.slice(0, room).replace(/[\uD800-\uDBFF]$/, '')
