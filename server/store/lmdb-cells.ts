import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import type { Cells, Change, Item, Table } from './cells.ts'
import { StorageDamage } from './damage.ts'
import { GroupCommit } from './group-commit.ts'
import { requireSoundFile } from './lmdb-file.ts'
import { DirectoryLock, holderOf } from './lock.ts'

/** Environments are numbered: a compaction makes the next one, which counts once it bears its name. */
const FILE = /^data\.(\d{1,15})\.mdb$/
const DRAFT = 'draft.mdb'

/** Left once there is an environment: from then on a missing file is a loss, and not a first start. */
const MADE = 'made'

type Key = [Table, string, Item]

/**
 * Cells in one LMDB environment. A flush is one transaction, made by a thread of LMDB's.
 *
 * `overlappingSync` is off: a commit then settles, and is shown to readers, only after fdatasync. It is no slower here
 * (measured with 1, 64 and 1,000 writers), and nothing unflushed can be read. LMDB's own batching is off too: it opens
 * the next transaction before the last one is known to have succeeded, and rejects promises that nobody holds.
 */
export class LmdbCells implements Cells {
  readonly #directory: string
  readonly #lock: DirectoryLock
  readonly #group = new GroupCommit(changes => this.#flush(changes))
  #number: number
  #database: RootDatabase<Uint8Array, Key>

  private constructor(directory: string, lock: DirectoryLock) {
    this.#directory = directory
    this.#lock = lock
    this.#number = Math.max(1, ...numbers(directory))
    requireMade(directory, this.#number)
    this.#database = openDatabase(directory, this.#number)
    clearOthers(directory, this.#number)
    markMade(directory)
  }

  static open(directory: string): LmdbCells {
    const lock = DirectoryLock.take(directory)
    try {
      return new LmdbCells(directory, lock)
    } catch (error) {
      lock.release()
      throw error
    }
  }

  /**
   * Only looks, also while another process writes: what it has flushed. A file that nobody uses is looked through first;
   * one in use was when it was opened.
   */
  static look<T>(directory: string, see: (cells: Pick<Cells, 'get' | 'range'>) => T): T {
    const path = fileOf(directory, Math.max(1, ...numbers(directory)))
    if (!existsSync(path)) throw new StorageDamage(`There is no ${path}.`)
    if (holderOf(directory) === undefined) requireSoundFile(path)
    const database = open<Uint8Array, Key>({ path, encoding: 'binary', readOnly: true })
    try {
      return see({
        get: (table, owner, item) => database.get([table, owner, item]),
        range: (table, owner, from) => rangeOf(database, table, owner, from),
      })
    } finally {
      database.close()
    }
  }

  /** A copy as of one moment, also while another process writes. */
  static async copy(from: string, to: string): Promise<void> {
    const path = fileOf(from, Math.max(1, ...numbers(from)))
    if (holderOf(from) === undefined) requireSoundFile(path)
    mkdirSync(to, { recursive: true })
    const database = open({ path, encoding: 'binary', readOnly: true })
    try {
      await database.backup(fileOf(to, 1), true)
    } finally {
      await database.close()
    }
    syncPath(fileOf(to, 1))
    markMade(to)
  }

  get(table: Table, owner: string, item: Item): Uint8Array | undefined {
    return this.#database.get([table, owner, item])
  }

  range(table: Table, owner: string, from?: Item): Iterable<readonly [Item, Uint8Array]> {
    return rangeOf(this.#database, table, owner, from)
  }

  *backwards(table: Table, owner: string, below?: Item): Iterable<readonly [Item, Uint8Array]> {
    const start = [table, owner, below ?? AFTER_ALL]
    const range = this.#database.getRange({ start, end: [table, owner], reverse: true, exclusiveStart: true })
    for (const { key, value } of range) yield [key[2], value]
  }

  write(changes: readonly Change[]): Promise<void> {
    return this.#group.write(changes)
  }

  async compact(): Promise<void> {
    const old = this.#database
    const draft = join(this.#directory, DRAFT)
    rmSync(draft, { force: true })
    await old.backup(draft, true)
    syncPath(draft)
    renameSync(draft, fileOf(this.#directory, this.#number + 1))
    syncPath(this.#directory)
    this.#number += 1
    this.#database = openDatabase(this.#directory, this.#number)
    await old.close()
    clearOthers(this.#directory, this.#number)
  }

  async close(): Promise<void> {
    await this.#group.idle()
    await this.#database.close()
    this.#lock.release()
  }

  async #flush(changes: readonly Change[]): Promise<void> {
    const committed = this.#database.batch(() => {
      for (const change of changes) this.#change(change)
    })
    await committed.catch(reportCause)
  }

  #change({ table, owner, item, value }: Change): void {
    const key: Key = [table, owner, item]
    if (value) this.#database.put(key, value)
    else this.#database.remove(key)
  }
}

const AFTER_ALL = new Uint8Array([255])

function* rangeOf(
  database: RootDatabase<Uint8Array, Key>,
  table: Table,
  owner: string,
  from?: Item,
): Iterable<readonly [Item, Uint8Array]> {
  // A key that is the beginning of another precedes it, and no number or text begins with the byte 255.
  const start = from === undefined ? [table, owner] : [table, owner, from]
  const end = [table, owner, AFTER_ALL]
  for (const { key, value } of database.getRange({ start, end })) yield [key[2], value]
}

function openDatabase(directory: string, number: number): RootDatabase<Uint8Array, Key> {
  const path = fileOf(directory, number)
  requireSoundFile(path)
  return open<Uint8Array, Key>({ path, encoding: 'binary', overlappingSync: false, eventTurnBatching: false })
}

const fileOf = (directory: string, number: number): string => join(directory, `data.${number}.mdb`)

function numbers(directory: string): number[] {
  return readdirSync(directory)
    .flatMap(file => FILE.exec(file)?.[1] ?? [])
    .map(Number)
}

function clearOthers(directory: string, number: number): void {
  for (const other of numbers(directory).filter(other => other !== number)) {
    rmSync(fileOf(directory, other))
    rmSync(`${fileOf(directory, other)}-lock`, { force: true })
  }
  rmSync(join(directory, DRAFT), { force: true })
  syncPath(directory)
}

function requireMade(directory: string, number: number): void {
  const path = fileOf(directory, number)
  if (existsSync(join(directory, MADE)) && (!existsSync(path) || statSync(path).size === 0))
    throw new StorageDamage(`${path} is missing or empty, and held data before. Restore it from a backup.`)
}

function markMade(directory: string): void {
  writeFileSync(join(directory, MADE), '')
  syncPath(directory)
}

/** LMDB says why a commit failed in a second promise, which nobody else waits for. */
async function reportCause(error: Error & { commitError?: Promise<never> }): Promise<never> {
  await error.commitError
  throw error
}

function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
