import type { Cells, Change, Item, Table } from './cells.ts'
import { GroupCommit } from './group-commit.ts'

/** What survives a crash of the storage that writes to it. */
export class MemoryDisk {
  readonly #tables = new Map<string, Map<Item, Uint8Array>>()

  cells(table: Table, owner: string): ReadonlyMap<Item, Uint8Array> {
    return this.#tables.get(`${table} ${owner}`) ?? new Map()
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) this.#applyOne(change)
  }

  #applyOne({ table, owner, item, value }: Change): void {
    const name = `${table} ${owner}`
    const cells = this.#tables.get(name) ?? new Map<Item, Uint8Array>()
    this.#tables.set(name, cells)
    if (value) cells.set(item, Uint8Array.from(value))
    else cells.delete(item)
  }
}

/** One sync of the disk: `flush` makes all that was handed over before it durable at once. Tests put faults here. */
export type Sync = (flush: () => void) => Promise<void>

const promptSync: Sync = async flush => flush()

/** Cells that are kept by a MemoryDisk. Only what was flushed is read. */
export class MemoryCells implements Cells {
  readonly #disk: MemoryDisk
  readonly #group: GroupCommit
  #gone = false

  constructor(disk = new MemoryDisk(), sync = promptSync) {
    this.#disk = disk
    this.#group = new GroupCommit(changes =>
      sync(() => {
        if (!this.#gone) disk.apply(changes)
      }),
    )
  }

  get(table: Table, owner: string, item: Item): Uint8Array | undefined {
    const value = this.#disk.cells(table, owner).get(item)
    return value && Uint8Array.from(value)
  }

  *range(table: Table, owner: string, from?: Item): Iterable<readonly [Item, Uint8Array]> {
    const entries = [...this.#disk.cells(table, owner)].filter(([item]) => from === undefined || item >= from)
    for (const [item, value] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) yield [item, Uint8Array.from(value)]
  }

  *backwards(table: Table, owner: string, below?: Item): Iterable<readonly [Item, Uint8Array]> {
    const entries = [...this.#disk.cells(table, owner)].filter(([item]) => below === undefined || item < below)
    for (const [item, value] of entries.sort(([a], [b]) => (a < b ? 1 : -1))) yield [item, Uint8Array.from(value)]
  }

  write(changes: readonly Change[]): Promise<void> {
    return this.#group.write(changes)
  }

  async compact(): Promise<void> {}

  async close(): Promise<void> {
    await this.#group.idle()
    this.#gone = true
  }

  /** The power goes: what is not on the disk is lost, also what a sync under way would still flush. */
  crash(): void {
    this.#gone = true
  }
}
