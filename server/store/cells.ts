/**
 * What a store of one machine is made of: an ordered map from (table, owner, item) to bytes, whose changes are applied
 * all or none. Items of a table and owner are all numbers or all strings, and ranges run in their order.
 */
export interface Cells {
  get(table: Table, owner: string, item: Item): Uint8Array | undefined

  /** Cells of one owner in a table from `from` on, as they are when the iteration starts. */
  range(table: Table, owner: string, from?: Item): Iterable<readonly [Item, Uint8Array]>

  /** The same from the last on, or from the last below `below`. */
  backwards(table: Table, owner: string, below?: Item): Iterable<readonly [Item, Uint8Array]>

  /**
   * Hands over one atomic change and settles when the disk has it. Changes take effect in the order of the calls. When
   * it rejects, or never settles, nobody knows what the disk has: see GuardedCells.
   */
  write(changes: readonly Change[]): Promise<void>

  /** Rewrites what is kept so that removed bytes are in no file any more. What is written meanwhile is lost. */
  compact(): Promise<void>

  close(): Promise<void>
}

export type Table =
  | 'head'
  | 'twin'
  | 'log'
  | 'chunk'
  | 'ledger'
  | 'note'
  | 'tally'
  | 'setting'
  | 'key'
  | 'paper'
  | 'open'
  | 'whose'
  | 'audit'
  | 'trail'

export type Item = string | number

export interface Change {
  readonly table: Table
  readonly owner: string
  readonly item: Item
  /** Undefined removes the cell; that there is none is fine. */
  readonly value: Uint8Array | undefined
}

/** For cells that have no owner. */
export const NOBODY = ''

/** LMDB's keys are bounded, and a key that is refused halfway through a change would break it in two. */
const MAX_KEY_CHARS = 256

const KEY = new RegExp(`^[ -~]{1,${MAX_KEY_CHARS}}$`)

export function requireKey(key: string): void {
  if (!KEY.test(key))
    throw new RangeError(`A key has 1 to ${MAX_KEY_CHARS} printable ASCII characters, unlike ${JSON.stringify(key)}.`)
}
