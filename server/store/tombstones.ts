import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageDamage } from './damage.ts'

/** Who was erased, by a keyed digest; under which name in the storage, and when. */
export interface Tombstone {
  readonly user: string
  readonly name: string
  readonly at: number
}

const LINE = /^([0-9a-f]{32}) ([0-9a-f]{32}) (\d{1,16})$/
const OWNER_ONLY = 0o600

/**
 * The users that were erased: a file apart from all that a backup brings back, one line for each, added to only. What is
 * restored from before an erasure is erased again by it.
 */
export class Tombstones {
  readonly #path: string | undefined
  readonly #byUser = new Map<string, Tombstone[]>()

  constructor(path?: string) {
    this.#path = path
    if (path === undefined || !existsSync(path)) return
    for (const line of readFileSync(path, 'utf8').split('\n')) if (line !== '') this.#put(read(path, line))
  }

  get all(): readonly Tombstone[] {
    return [...this.#byUser.values()].flat()
  }

  /** How often a user was erased, and when last. */
  of(user: string): { readonly count: number; readonly at: number } | undefined {
    const found = this.#byUser.get(user)
    return found && { count: found.length, at: Math.max(...found.map(({ at }) => at)) }
  }

  /** It is on disk when this returns. */
  add(tombstone: Tombstone): void {
    if (this.#path !== undefined) append(this.#path, `${tombstone.user} ${tombstone.name} ${tombstone.at}\n`)
    this.#put(tombstone)
  }

  #put(tombstone: Tombstone): void {
    this.#byUser.set(tombstone.user, [...(this.#byUser.get(tombstone.user) ?? []), tombstone])
  }
}

function read(path: string, line: string): Tombstone {
  const [, user, name, at] = LINE.exec(line) ?? []
  if (user === undefined || name === undefined)
    throw new StorageDamage(
      `${path} holds a line that is none of its own. Restore it: without it the erased come back.`,
    )
  return { user, name, at: Number(at) }
}

function append(path: string, line: string): void {
  const isNew = !existsSync(path)
  const file = openSync(path, 'a', OWNER_ONLY)
  try {
    writeSync(file, line)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  if (isNew) sync(dirname(path))
}

function sync(directory: string): void {
  const file = openSync(directory, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
