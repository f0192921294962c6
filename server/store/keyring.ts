import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Head, headShape } from '../audit/head.ts'
import { type Change, NOBODY } from './cells.ts'
import { StorageDamage } from './damage.ts'
import { GuardedCells } from './guarded-cells.ts'
import { LmdbCells } from './lmdb-cells.ts'
import { GivenMasterKey, type MasterKey, MasterKeyFile } from './master-key.ts'
import { MemoryCells, type MemoryDisk } from './memory-cells.ts'
import { newRoot, type Root, rootOf, sealRoot, unsealRoot } from './root.ts'
import { KEY_BYTES, seal, unseal } from './seal.ts'
import { Turns } from './turns.ts'

const NAME_BYTES = 16
const ROOT = 'root'
export const HEAD = 'audit-head'

/** Keys that are wrapped anew in one write. */
const REWRAP_SLICE = 1_000

/** How a user is called in the storage, and what its records are sealed under. */
export interface UserKey {
  readonly name: string
  readonly key: Uint8Array
}

export interface KeyringOptions {
  /** Instead of the file `master.key` beside the data. */
  readonly master?: MasterKey
  readonly flushDeadline?: number
}

export interface Filed {
  readonly digest: string
  readonly user: string
}

export interface Roll {
  readonly users: readonly string[]
  /** Digests of users whose keys can't be read, and with them nothing of these users. */
  readonly damaged: readonly string[]
}

/**
 * One random key and name per user, wrapped and filed under a digest of the user's id; what wraps them is wrapped by a
 * master key (root.ts). Destroying a key takes its bytes off the disk, and makes everything stored under it unreadable
 * wherever copies of it may be.
 */
export class Keyring {
  readonly failed: Promise<Error>
  /** For what belongs to no user. */
  readonly desk: UserKey
  readonly #cells: GuardedCells
  readonly #source: MasterKey
  #root: Root
  #master: Uint8Array
  /** A compaction loses what is written during it, so changes wait for each other. */
  readonly #turns = new Turns()

  private constructor(cells: GuardedCells, root: Root, master: Uint8Array, source: MasterKey) {
    this.#cells = cells
    this.#source = source
    this.#root = root
    this.#master = master
    this.failed = cells.failed
    this.desk = { name: 'desk', key: root.desk }
  }

  /** What is needed to check the audit, without opening the store for anything else. */
  static lookForAudit(
    directory: string,
    master: MasterKey = new MasterKeyFile(join(directory, 'master.key')),
  ): { readonly seed: Uint8Array; readonly head: Head | undefined } {
    return LmdbCells.look(join(directory, 'keys'), cells => {
      const { root } = openedRoot(copiesOf(cells), master.candidates())
      return { seed: root.audit, head: headIn(cells.get('setting', NOBODY, HEAD)) }
    })
  }

  /** A rotation that was cut short is gone on with before anything is served. */
  static async open(directory: string, { master, flushDeadline }: KeyringOptions = {}): Promise<Keyring> {
    const cells = new GuardedCells(LmdbCells.open(join(directory, 'keys')), flushDeadline)
    try {
      return await Keyring.on(cells, master ?? new MasterKeyFile(join(directory, 'master.key')))
    } catch (error) {
      await cells.close()
      throw error
    }
  }

  static async on(cells: GuardedCells, source: MasterKey): Promise<Keyring> {
    const { root, key } = await rootIn(cells, source.candidates())
    source.settle(key)
    const keyring = new Keyring(cells, root, key, source)
    await keyring.#rewrap()
    return keyring
  }

  static inMemory(disk?: MemoryDisk): Keyring {
    return Keyring.over(new GuardedCells(new MemoryCells(disk)))
  }

  /** Of a master key that is known to all: for what is not kept. */
  static over(cells: GuardedCells): Keyring {
    const master = new Uint8Array(KEY_BYTES)
    return new Keyring(cells, rootOf(master), master, new GivenMasterKey(master))
  }

  /** Undefined for a user that has none. Throws StorageDamage when there is one that can't be read. */
  keyOf(user: string): UserKey | undefined {
    const digest = this.digest('user', user)
    const wrapped = this.#cells.get('key', NOBODY, digest)
    if (!wrapped) return undefined
    const entry = this.#unwrap(digest, wrapped)
    if (!entry) throw new StorageDamage(`The key filed under ${digest} is damaged.`)
    return { name: entry.name, key: Buffer.from(entry.key, 'base64') }
  }

  /** Whose key is filed under a digest; undefined once it is destroyed. */
  userOf(digest: string): string | undefined {
    const wrapped = this.#cells.get('key', NOBODY, digest)
    if (!wrapped) return undefined
    const entry = this.#unwrap(digest, wrapped)
    if (!entry) throw new StorageDamage(`The key filed under ${digest} is damaged.`)
    return entry.user
  }

  /** The user's key; a new one is on disk before anyone gets it. */
  async mint(user: string): Promise<UserKey> {
    return (
      this.keyOf(user) ?? (await this.#turns.take('keys', async () => this.keyOf(user) ?? (await this.#make(user))))
    )
  }

  /** Settles when the key is in no file any more. False when the user had none. */
  destroy(user: string): Promise<boolean> {
    return this.#turns.take('keys', async () => {
      const item = this.digest('user', user)
      if (!this.#cells.get('key', NOBODY, item)) return false
      await this.#cells.write([{ table: 'key', owner: NOBODY, item, value: undefined }])
      await this.#cells.compact()
      return true
    })
  }

  /** The same for what stands under a digest, if it is the key of this name. */
  destroyFiled(digest: string, name: string): Promise<boolean> {
    return this.#turns.take('keys', async () => {
      const wrapped = this.#cells.get('key', NOBODY, digest)
      if (!wrapped || this.#unwrap(digest, wrapped)?.name !== name) return false
      await this.#cells.write([{ table: 'key', owner: NOBODY, item: digest, value: undefined }])
      await this.#cells.compact()
      return true
    })
  }

  roll(): Roll {
    const users: string[] = []
    const damaged: string[] = []
    for (const [item, wrapped] of this.#cells.range('key', NOBODY)) {
      const entry = this.#unwrap(String(item), wrapped)
      if (entry) users.push(entry.user)
      else damaged.push(String(item))
    }
    return { users, damaged }
  }

  /** So many users at most, in the order of their digests; from one of these on, whether or not it still is somebody's. */
  rollFrom(digest: string, most: number): Filed[] {
    const found: Filed[] = []
    for (const [item, wrapped] of this.#cells.range('key', NOBODY, digest)) {
      if (found.length === most) break
      const entry = this.#unwrap(String(item), wrapped)
      if (entry) found.push({ digest: String(item), user: entry.user })
    }
    return found
  }

  /** Rises with every restore. */
  get era(): number {
    return this.#root.era
  }

  /** What the audit is signed with. */
  get auditSeed(): Uint8Array {
    return this.#root.audit
  }

  /** The last head of the audit that was signed: kept here, apart from what it vouches for. */
  auditHead(): Head | undefined {
    return headIn(this.#cells.get('setting', NOBODY, HEAD))
  }

  putAuditHead(head: Head): Promise<void> {
    const value = Buffer.from(JSON.stringify(head))
    return this.#turns.take('keys', () => this.#cells.write([{ table: 'setting', owner: NOBODY, item: HEAD, value }]))
  }

  /** From now on the keys of a copy that goes its own way are told apart from those of the original. */
  beginEra(era: number): Promise<void> {
    return this.#turns.take('keys', () => this.#writeRoot({ ...this.#root, era }, this.#master))
  }

  /**
   * Puts another master key in force, by one write, and then wraps every user's key anew. Whenever it is cut short, either
   * the old master key or the new one opens everything, and where it comes from both are kept until it is clear which.
   */
  rotate(next: Uint8Array = randomBytes(KEY_BYTES)): Promise<void> {
    return this.#turns.take('keys', async () => {
      await this.#rewrap()
      const source = this.#source
      source.propose(next)
      const { wrap } = this.#root
      await this.#writeRoot({ ...this.#root, wrap: randomBytes(KEY_BYTES), before: wrap }, next)
      source.settle(next)
      await this.#rewrap()
    })
  }

  async #rewrap(): Promise<void> {
    if (!this.#root.before) return
    for (let slice = this.#outdated(''); slice.length > 0; slice = this.#outdated(String(slice.at(-1)?.item)))
      await this.#cells.write(slice)
    await this.#writeRoot({ ...this.#root, before: undefined }, this.#master)
    await this.#cells.compact()
  }

  /** Some of the keys from one on that are still wrapped as before, wrapped anew. One that nothing opens stays as it is. */
  #outdated(from: string): Change[] {
    const changes: Change[] = []
    for (const [item, wrapped] of this.#cells.range('key', NOBODY, from)) {
      const digest = String(item)
      const bytes = this.#root.before && unseal(this.#root.before, { kind: 'key', name: digest }, wrapped)
      if (!bytes) continue
      const value = seal(this.#root.wrap, { kind: 'key', name: digest }, bytes)
      changes.push({ table: 'key', owner: NOBODY, item, value })
      if (changes.length === REWRAP_SLICE) break
    }
    return changes
  }

  async #writeRoot(root: Root, master: Uint8Array): Promise<void> {
    await this.#cells.write(rootCells(sealRoot(master, root)))
    this.#root = root
    this.#master = master
  }

  /** What stands for an id where the id itself must not be read. */
  digest(what: 'user' | 'agent', id: string): string {
    const digest = createHmac('sha256', this.#root.digest).update(`${what}\n${id}`).digest()
    return digest.toString('hex', 0, NAME_BYTES)
  }

  async close(): Promise<void> {
    await this.#turns.idle()
    await this.#cells.close()
  }

  async #make(user: string): Promise<UserKey> {
    const made = { name: randomBytes(NAME_BYTES).toString('hex'), key: randomBytes(KEY_BYTES) }
    const item = this.digest('user', user)
    const entry: Entry = { user, name: made.name, key: made.key.toString('base64') }
    const value = seal(this.#root.wrap, { kind: 'key', name: item }, Buffer.from(JSON.stringify(entry)))
    await this.#cells.write([{ table: 'key', owner: NOBODY, item, value }])
    return made
  }

  #unwrap(digest: string, wrapped: Uint8Array): Entry | undefined {
    const { wrap, before } = this.#root
    const place = { kind: 'key', name: digest } as const
    const bytes = unseal(wrap, place, wrapped) ?? (before && unseal(before, place, wrapped))
    return bytes && JSON.parse(Buffer.from(bytes).toString())
  }
}

/** Kept twice, far apart, as everything hangs on it. */
const rootCells = (value: Uint8Array): Change[] => [
  { table: 'head', owner: NOBODY, item: ROOT, value },
  { table: 'twin', owner: NOBODY, item: ROOT, value },
]

const copiesOf = (cells: Pick<GuardedCells, 'get'>): Uint8Array[] =>
  [cells.get('head', NOBODY, ROOT), cells.get('twin', NOBODY, ROOT)].filter(copy => copy !== undefined)

const headIn = (stored: Uint8Array | undefined): Head | undefined =>
  stored && headShape.parse(JSON.parse(Buffer.from(stored).toString()))

interface Opened {
  readonly root: Root
  readonly key: Uint8Array
}

/** A store without any keys gets a new root under the first of the master keys. */
async function rootIn(cells: GuardedCells, candidates: readonly Uint8Array[]): Promise<Opened> {
  const copies = copiesOf(cells)
  const [first] = candidates
  if (copies.length === 0 && first) return { root: await makeRoot(cells, first), key: first }
  return openedRoot(copies, candidates)
}

/** The root, and the one of some master keys that opens it. */
function openedRoot(copies: readonly Uint8Array[], candidates: readonly Uint8Array[]): Opened {
  for (const key of candidates)
    for (const copy of copies) {
      const root = unsealRoot(key, copy)
      if (root) return { root, key }
    }
  throw new Error('The master key is not the one that the stored keys were wrapped with. Put that one back.')
}

async function makeRoot(cells: GuardedCells, master: Uint8Array): Promise<Root> {
  for (const _ of cells.range('key', NOBODY))
    throw new StorageDamage('There are keys and nothing to open them with. Restore the folder `keys` from a backup.')
  const root = newRoot()
  await cells.write(rootCells(sealRoot(master, root)))
  return root
}

interface Entry {
  readonly user: string
  readonly name: string
  readonly key: string
}
