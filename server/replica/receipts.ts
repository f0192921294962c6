import type { ItemOutcome } from '../../model/wire/frame.ts'
import { encode, rangesOf, type Structs, updateOf, writeItem } from './encoding.ts'
import type { Entry } from './inbound.ts'

const RECEIPTS = 'receipts'

/** What became of an entry of the outbox. */
export interface Receipt {
  readonly entry: Entry
  readonly outcome: Omit<ItemOutcome, 'id'>
}

/** The receipts of one connection, written by an author of its own; nobody else is sent them. */
export class Receipts {
  readonly author: number
  #next = 0

  constructor(author: number) {
    this.author = author
  }

  /** How many there are. */
  get size(): number {
    return this.#next
  }

  /** One update that brings the outcomes and takes the entries out of the outbox: a client has both or neither. */
  update(receipts: readonly Receipt[]): Uint8Array {
    const clock = this.#next
    this.#next += receipts.length
    return updateOf([this.#structs(clock, receipts)], deletionsOf(receipts))
  }

  #structs(clock: number, receipts: readonly Receipt[]): Structs {
    const bytes = encode(encoder => {
      for (const { entry, outcome } of receipts) writeItem(encoder, RECEIPTS, entry.key, plain(outcome))
    })
    return { author: this.author, clock, count: receipts.length, bytes }
  }
}

const plain = ({ status, error }: Receipt['outcome']) => ({
  status,
  ...(error && { error: { code: error.code, message: error.message } }),
})

function deletionsOf(receipts: readonly Receipt[]) {
  const byClient = new Map<number, number[]>()
  for (const { entry } of receipts) byClient.set(entry.client, [...(byClient.get(entry.client) ?? []), entry.clock])
  return [...byClient].map(([author, clocks]) => ({ author, ranges: rangesOf(clocks.sort((a, b) => a - b)) }))
}
