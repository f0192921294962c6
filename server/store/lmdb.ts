import { CellStorage } from './cell-storage.ts'
import { GuardedCells } from './guarded-cells.ts'
import { LmdbCells } from './lmdb-cells.ts'

export interface LmdbOptions {
  /** Milliseconds after which a write that is not on disk counts as failed. */
  readonly flushDeadline?: number
}

/** The embedded default: one process, one directory. */
export class LmdbStorage extends CellStorage {
  static open(directory: string, { flushDeadline }: LmdbOptions = {}): LmdbStorage {
    return new LmdbStorage(new GuardedCells(LmdbCells.open(directory), flushDeadline))
  }
}
