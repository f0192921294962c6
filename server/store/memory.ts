import { CellStorage } from './cell-storage.ts'
import { GuardedCells } from './guarded-cells.ts'
import { MemoryCells, MemoryDisk, type Sync } from './memory-cells.ts'

export interface MemoryOptions {
  /** What an earlier storage left. */
  readonly disk?: MemoryDisk
  readonly sync?: Sync
  readonly flushDeadline?: number
}

/** A storage for tests that keeps its promises, and forgets in a crash what a real one would. */
export class MemoryStorage extends CellStorage {
  readonly #crash: () => MemoryDisk

  constructor({ disk = new MemoryDisk(), sync, flushDeadline }: MemoryOptions = {}) {
    const cells = new MemoryCells(disk, sync)
    const guarded = new GuardedCells(cells, flushDeadline)
    super(guarded)
    this.#crash = () => {
      cells.crash()
      guarded.fail(new Error('The process was killed.'))
      return disk
    }
  }

  /** Ends as a killed process does. What had been flushed is on the disk, for the next storage to open. */
  crash(): MemoryDisk {
    return this.#crash()
  }
}
