import type { Cells, Change, Item, Table } from './cells.ts'
import { StorageFailure } from './storage.ts'

const FLUSH_DEADLINE_MS = 10_000

/**
 * Cells that stop for good at the first write that failed or is overdue. What such a write left is unknown: LMDB may
 * show the value while the disk lacks it, and later flushes succeed as if nothing had been. So from then on nothing is
 * written, acknowledged or read; the process ends, and ids are resolved after the restart.
 */
export class GuardedCells implements Cells {
  readonly failed: Promise<Error>
  readonly #cells: Cells
  readonly #deadline: number
  readonly #pending = new Set<(reason: StorageFailure) => void>()
  #settleFailed: (reason: Error) => void = () => {}
  #failure: StorageFailure | undefined

  constructor(cells: Cells, deadline = FLUSH_DEADLINE_MS) {
    this.#cells = cells
    this.#deadline = deadline
    this.failed = new Promise(resolve => {
      this.#settleFailed = resolve
    })
  }

  get(table: Table, owner: string, item: Item): Uint8Array | undefined {
    this.#requireSound()
    return this.#cells.get(table, owner, item)
  }

  range(table: Table, owner: string, from?: Item): Iterable<readonly [Item, Uint8Array]> {
    this.#requireSound()
    return this.#cells.range(table, owner, from)
  }

  backwards(table: Table, owner: string, below?: Item): Iterable<readonly [Item, Uint8Array]> {
    this.#requireSound()
    return this.#cells.backwards(table, owner, below)
  }

  write(changes: readonly Change[]): Promise<void> {
    return this.#guard('write', () => this.#cells.write(changes))
  }

  compact(): Promise<void> {
    return this.#guard('compaction', () => this.#cells.compact())
  }

  close(): Promise<void> {
    return this.#guard('close', () => this.#cells.close())
  }

  fail(reason: Error): void {
    if (this.#failure) return
    this.#failure = new StorageFailure(`The store failed and serves nothing more: ${reason.message}`, { cause: reason })
    for (const reject of this.#pending) reject(this.#failure)
    this.#pending.clear()
    this.#settleFailed(this.#failure)
  }

  #requireSound(): void {
    if (this.#failure) throw this.#failure
  }

  #guard(what: string, work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#requireSound()
      const overdue = () => this.fail(new Error(`A ${what} was not on disk within ${this.#deadline} ms.`))
      const timer = setTimeout(overdue, this.#deadline)
      this.#pending.add(reject)
      attempt(work)
        .then(resolve, error => this.fail(error))
        .finally(() => {
          clearTimeout(timer)
          this.#pending.delete(reject)
        })
    })
  }
}

/** A write that throws at once may have handed over half of itself: as bad as one that rejects. */
async function attempt(work: () => Promise<void>): Promise<void> {
  await work()
}
