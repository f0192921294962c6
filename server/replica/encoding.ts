import {
  type AnyEncodable,
  createEncoder,
  type Encoder,
  toUint8Array,
  writeAny,
  writeUint8,
  writeUint8Array,
  writeVarString,
  writeVarUint,
} from 'lib0/encoding'

/**
 * Updates as Yjs writes them (version 1), from clocks of our own:
 *
 *   update      number of authors · for each, highest id first: number of structs, author, first clock, structs · deletions
 *   item        0x28 (content is plain data 0x08, has a key 0x20) · 1 (parent is a root, by name) · root · key · 1 value · value
 *   gap         0x00 · how many clocks in a row hold nothing any more
 *   deletions   number of authors · for each, highest id first: author, number of ranges, ranges of first clock and length
 *
 * An item has no neighbours to name, as no key is ever used twice.
 */
const ITEM = 0x28
const GAP = 0x00
const ROOT_BY_NAME = 1

export interface Range {
  readonly clock: number
  readonly length: number
}

/** Structs of one author from a clock on, without a gap between them. */
export interface Structs {
  readonly author: number
  readonly clock: number
  readonly count: number
  readonly bytes: Uint8Array
}

export interface Deletions {
  readonly author: number
  readonly ranges: readonly Range[]
}

/** The encoders of lib0 grow by leaps; what is kept is cut to its size. */
export function encode(write: (encoder: Encoder) => void): Uint8Array {
  const encoder = createEncoder()
  write(encoder)
  return toUint8Array(encoder)
}

export function writeItem(encoder: Encoder, root: string, key: string, value: AnyEncodable): void {
  writeUint8(encoder, ITEM)
  writeVarUint(encoder, ROOT_BY_NAME)
  writeVarString(encoder, root)
  writeVarString(encoder, key)
  writeVarUint(encoder, 1)
  writeAny(encoder, value)
}

export function writeGap(encoder: Encoder, length: number): void {
  writeUint8(encoder, GAP)
  writeVarUint(encoder, length)
}

export const updateOf = (structs: readonly Structs[], deletions: readonly Deletions[]): Uint8Array =>
  encode(encoder => {
    const written = structs.filter(({ count }) => count > 0).sort(byAuthor)
    writeVarUint(encoder, written.length)
    for (const { author, clock, count, bytes } of written) {
      writeVarUint(encoder, count)
      writeVarUint(encoder, author)
      writeVarUint(encoder, clock)
      writeUint8Array(encoder, bytes)
    }
    writeDeletions(encoder, deletions)
  })

function writeDeletions(encoder: Encoder, deletions: readonly Deletions[]): void {
  const written = deletions.filter(({ ranges }) => ranges.length > 0).sort(byAuthor)
  writeVarUint(encoder, written.length)
  for (const { author, ranges } of written) {
    writeVarUint(encoder, author)
    writeVarUint(encoder, ranges.length)
    for (const { clock, length } of ranges) {
      writeVarUint(encoder, clock)
      writeVarUint(encoder, length)
    }
  }
}

/** A state vector: number of authors · for each, highest id first: author, first clock that is not there. */
export const stateVectorOf = (clocks: ReadonlyMap<number, number>): Uint8Array =>
  encode(encoder => {
    writeVarUint(encoder, clocks.size)
    for (const [author, clock] of [...clocks].sort(([a], [b]) => b - a)) {
      writeVarUint(encoder, author)
      writeVarUint(encoder, clock)
    }
  })

/** Highest id first. */
export const byAuthor = (a: { readonly author: number }, b: { readonly author: number }): number => b.author - a.author

/** Ranges of a sorted run of clocks. */
export function rangesOf(clocks: Iterable<number>): Range[] {
  const ranges: { clock: number; length: number }[] = []
  for (const clock of clocks) {
    const last = ranges.at(-1)
    if (last && last.clock + last.length === clock) last.length++
    else ranges.push({ clock, length: 1 })
  }
  return ranges
}
