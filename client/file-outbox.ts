import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Entry, Place } from './entry.ts'
import { hasCode, lock } from './file-lock.ts'
import { addLine, doneLine, readLines } from './outbox-line.ts'

/** The file is written anew, without what is done, after this many lines about things done. */
const COMPACT_AFTER = 1_000
const OWNER_ONLY = 0o600

/** Writes kept in a file of this machine until they are answered. Values are in it: only its owner may read it. */
export const fileOutbox = (path: string): Place => new FileOutbox(path)

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Lines are added at the end and synced in batches: those that come while one is being written share the next.
 */
class FileOutbox implements Place {
  readonly #path: string
  readonly #entries = new Map<string, Entry>()
  #file: FileHandle | undefined
  #unlock: (() => Promise<void>) | undefined
  #lines: string[] = []
  #waiting: Waiting[] = []
  #done = 0
  #writing: Promise<void> | undefined

  constructor(path: string) {
    this.#path = path
  }

  async load(): Promise<readonly Entry[]> {
    this.#unlock = await lock(this.#path)
    for (const entry of readLines(await textOf(this.#path), this.#path)) this.#entries.set(entry.key, entry)
    await this.#rewrite()
    return [...this.#entries.values()]
  }

  append(entry: Entry): Promise<void> {
    this.#entries.set(entry.key, entry)
    return this.#write(addLine(entry)).catch((error: unknown) => {
      this.#entries.delete(entry.key)
      throw error
    })
  }

  remove(key: string): Promise<void> {
    this.#entries.delete(key)
    this.#done += 1
    return this.#write(doneLine(key))
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#file?.close()
    this.#file = undefined
    await this.#unlock?.()
    this.#unlock = undefined
  }

  #write(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#lines.push(line)
      this.#waiting.push({ resolve, reject })
      this.#writing ??= this.#run()
    })
  }

  async #run(): Promise<void> {
    while (this.#lines.length > 0) await this.#batch(this.#lines.splice(0), this.#waiting.splice(0))
    this.#writing = undefined
  }

  async #batch(lines: readonly string[], waiting: readonly Waiting[]): Promise<void> {
    try {
      if (this.#done >= COMPACT_AFTER) await this.#rewrite()
      else await this.#add(lines.join(''))
      for (const { resolve } of waiting) resolve()
    } catch (error) {
      // Nobody knows how the file ends now: what comes next must not be added to half a line.
      this.#done = COMPACT_AFTER
      for (const { reject } of waiting) reject(error)
    }
  }

  async #add(text: string): Promise<void> {
    if (!this.#file) throw new Error(`The outbox ${this.#path} is not open.`)
    await this.#file.appendFile(text)
    await this.#file.datasync()
  }

  /** A new file takes the place of the old one in one step: a crash leaves the one or the other. */
  async #rewrite(): Promise<void> {
    const fresh = await open(`${this.#path}.new`, 'w', OWNER_ONLY)
    await fresh.appendFile([...this.#entries.values()].map(addLine).join(''))
    await fresh.sync()
    await rename(`${this.#path}.new`, this.#path)
    await syncDirectory(dirname(this.#path))
    await this.#file?.close()
    this.#file = fresh
    this.#done = 0
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return ''
    throw error
  }
}

/** Without it the new name may be lost in a crash. Windows has no such thing and needs none. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path)
  await directory.sync()
  await directory.close()
}
