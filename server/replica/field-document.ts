import { type AnyEncodable, writeUint8Array } from 'lib0/encoding'
import type { Evidence } from '../../model/evidence.ts'
import { type Deletions, encode, rangesOf, type Structs, writeGap, writeItem } from './encoding.ts'

/** The root map of the document that evidence stands in. */
const EVIDENCE = 'evidence'

/** What stands at a clock, for clients of Yjs and, as a member of a JSON object, for those of the SDK. */
interface Item {
  readonly bytes: Uint8Array
  readonly text: string
}

/** One field of a document: an author, and what stands at which of its clocks. All other clocks below `next` are gaps. */
export class FieldDocument {
  readonly author: number
  readonly #items = new Map<number, Item>()
  #next = 0
  #whole: { readonly structs: Structs; readonly deletions: Deletions } | undefined
  #text: string | undefined

  constructor(author: number) {
    this.author = author
  }

  get next(): number {
    return this.#next
  }

  /** Clocks at which something stands. */
  get clocks(): Iterable<number> {
    return this.#items.keys()
  }

  has(clock: number): boolean {
    return this.#items.has(clock)
  }

  put(clock: number, evidence: Evidence): void {
    const key = this.key(clock)
    const bytes = encode(encoder => writeItem(encoder, EVIDENCE, key, plain(evidence)))
    this.#items.set(clock, { bytes, text: `"${key}":${JSON.stringify(evidence)}` })
    this.#forget()
  }

  remove(clock: number): void {
    this.#items.delete(clock)
    this.#forget()
  }

  /** All clocks below this one are given out. */
  extend(next: number): void {
    if (next > this.#next) this.#forget()
    this.#next = Math.max(this.#next, next)
  }

  /** Unique for good: no author gives a clock twice. */
  key(clock: number): string {
    return `${this.author.toString(36)}.${clock.toString(36)}`
  }

  /** All that stands from a clock on, by clock, as members of a JSON object. */
  text(from = 0): string {
    if (from > 0) return this.#members(from)
    this.#text ??= this.#members(0)
    return this.#text
  }

  #members(from: number): string {
    const texts: string[] = []
    for (let clock = from; clock < this.#next; clock++) {
      const item = this.#items.get(clock)
      if (item) texts.push(item.text)
    }
    return texts.join(',')
  }

  #forget(): void {
    this.#whole = undefined
    this.#text = undefined
  }

  /** What a replica lacks that has this author up to a clock; its gaps are told whole, as it may not know of any. */
  since(clock: number): { readonly structs: Structs; readonly deletions: Deletions } {
    if (clock > 0) return { structs: this.#structs(clock), deletions: this.#gaps() }
    this.#whole ??= { structs: this.#structs(0), deletions: this.#gaps() }
    return this.#whole
  }

  #structs(from: number): Structs {
    let count = 0
    const bytes = encode(encoder => {
      for (let clock = from; clock < this.#next; count++) {
        const item = this.#items.get(clock)
        const length = item ? 1 : this.#gapAt(clock)
        if (item) writeUint8Array(encoder, item.bytes)
        else writeGap(encoder, length)
        clock += length
      }
    })
    return { author: this.author, clock: from, count, bytes }
  }

  #gapAt(clock: number): number {
    let end = clock + 1
    while (end < this.#next && !this.#items.has(end)) end++
    return end - clock
  }

  #gaps(): Deletions {
    const gone: number[] = []
    for (let clock = 0; clock < this.#next; clock++) if (!this.#items.has(clock)) gone.push(clock)
    return { author: this.author, ranges: rangesOf(gone) }
  }
}

/** Evidence is plain data; lib0's type of that knows no interfaces. */
const plain = (evidence: Evidence) => ({ ...evidence }) as AnyEncodable
