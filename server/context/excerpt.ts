import { clip } from '../../model/inert.ts'
import type { Json } from '../../model/value.ts'

/** A stored value as it is shown: every text in it inert, the whole no longer than the room there is. */
export interface Excerpt {
  readonly value: Json
  /** How many characters of texts and keys were left out. */
  readonly cut: number
}

/** A mean of many is full of digits that mean nothing. */
const DIGITS = 12
/** What stands around a value: quotes, brackets, comma. Even an empty one takes room. */
const AROUND = 4

export function excerptOf(value: Json, room: number): Excerpt {
  const left = { room, cut: 0 }
  return { value: shorten(value, left), cut: left.cut }
}

export function excerptOfAll(values: readonly Json[], room: number): { values: Json[]; cut: number } {
  const left = { room, cut: 0 }
  return { values: shortenList(values, left), cut: left.cut }
}

interface Left {
  room: number
  cut: number
}

function shorten(value: Json, left: Left): Json {
  if (typeof value === 'string') return shortenText(value, left)
  if (typeof value === 'number') return charge(Number(value.toPrecision(DIGITS)), left)
  if (value === null || typeof value === 'boolean') return charge(value, left)
  return Array.isArray(value) ? shortenList(value, left) : shortenRecord(value, left)
}

function shortenText(text: string, left: Left): string {
  const { text: shown, cut } = clip(text, Math.max(0, left.room))
  left.room -= shown.length + AROUND
  left.cut += cut
  return shown
}

function charge<T extends Json>(value: T, left: Left): T {
  left.room -= String(value).length + AROUND
  return value
}

function shortenList(list: readonly Json[], left: Left): Json[] {
  const shown: Json[] = []
  left.room -= AROUND
  for (const item of list) {
    if (left.room > 0) shown.push(shorten(item, left))
    else left.cut += lengthOf(item)
  }
  return shown
}

function shortenRecord(record: { readonly [key: string]: Json }, left: Left): Json {
  const shown: [string, Json][] = []
  left.room -= AROUND
  for (const [key, item] of Object.entries(record)) {
    if (left.room > 0) shown.push([shortenText(key, left), shorten(item, left)])
    else left.cut += key.length + lengthOf(item)
  }
  return Object.fromEntries(shown)
}

function lengthOf(value: Json): number {
  if (typeof value === 'string') return value.length
  if (value === null || typeof value !== 'object') return String(value).length
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item), 0)
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + lengthOf(item), 0)
}

/** As JSON on one line. The texts are inert, so their quotes and backslashes are escaped already. */
export function written(value: Json): string {
  if (typeof value === 'string') return `"${value}"`
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`
  const entries = Object.entries(value).map(([key, item]) => `"${key}": ${written(item)}`)
  return `{${entries.join(', ')}}`
}
