import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Change, NOBODY } from './cells.ts'
import { StorageDamage } from './damage.ts'
import { GuardedCells } from './guarded-cells.ts'
import { LmdbCells } from './lmdb-cells.ts'
import { masterKey } from './master-key.ts'
import { MemoryCells, type MemoryDisk } from './memory-cells.ts'
import { KEY_BYTES, type Place, seal, unseal } from './seal.ts'
import { Turns } from './turns.ts'

const NAME_BYTES = 16

/** Sealed with the first key, so that a wrong master key is told before anything is written under it. */
const PROOF: Place = { kind: 'setting', name: 'keyring', setting: 'proof' }

/** How a user is called in the storage, and what its records are sealed under. */
export interface UserKey {
  readonly name: string
  readonly key: Uint8Array
}

export interface KeyringOptions {
  /** Instead of the file `master.key`: from a key manager, say. */
  readonly master?: Uint8Array
  readonly flushDeadline?: number
}

export interface Roll {
  readonly users: readonly string[]
  /** Digests of users whose keys can't be read, and with them nothing of these users. */
  readonly damaged: readonly string[]
}

/**
 * One random key and name per user, wrapped by a master key and filed under a digest of the user's id. Destroying a key
 * takes its bytes off the disk, and makes everything stored under it unreadable wherever copies of it may be.
 */
export class Keyring {
  readonly failed: Promise<Error>
  /** For what belongs to no user. */
  readonly desk: UserKey
  readonly #cells: GuardedCells
  readonly #master: Uint8Array
  /** A compaction loses what is written during it, so changes wait for each other. */
  readonly #turns = new Turns()

  constructor(cells: GuardedCells, master: Uint8Array) {
    this.#cells = cells
    this.#master = master
    this.failed = cells.failed
    this.desk = { name: 'desk', key: createHmac('sha256', master).update('desk').digest() }
  }

  static async open(directory: string, { master, flushDeadline }: KeyringOptions = {}): Promise<Keyring> {
    const cells = new GuardedCells(LmdbCells.open(join(directory, 'keys')), flushDeadline)
    try {
      const keyring = new Keyring(cells, master ?? masterKey(join(directory, 'master.key')))
      keyring.#requireMaster()
      return keyring
    } catch (error) {
      await cells.close()
      throw error
    }
  }

  static inMemory(disk?: MemoryDisk): Keyring {
    return new Keyring(new GuardedCells(new MemoryCells(disk)), new Uint8Array(KEY_BYTES))
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

  /** What stands for an id where the id itself must not be read. */
  digest(what: 'user' | 'agent', id: string): string {
    const digest = createHmac('sha256', this.#master).update(`${what}\n${id}`).digest()
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
    const value = seal(this.#master, { kind: 'key', name: item }, Buffer.from(JSON.stringify(entry)))
    await this.#cells.write([{ table: 'key', owner: NOBODY, item, value }, ...this.#proof()])
    return made
  }

  #proof(): Change[] {
    if (this.#cells.get('setting', NOBODY, PROOF.name)) return []
    return [{ table: 'setting', owner: NOBODY, item: PROOF.name, value: seal(this.#master, PROOF, new Uint8Array()) }]
  }

  #requireMaster(): void {
    const proof = this.#cells.get('setting', NOBODY, PROOF.name)
    if (proof && !unseal(this.#master, PROOF, proof))
      throw new Error('The master key is not the one that the stored keys were wrapped with. Put that one back.')
  }

  #unwrap(digest: string, wrapped: Uint8Array): Entry | undefined {
    const bytes = unseal(this.#master, { kind: 'key', name: digest }, wrapped)
    return bytes && JSON.parse(Buffer.from(bytes).toString())
  }
}

interface Entry {
  readonly user: string
  readonly name: string
  readonly key: string
}
