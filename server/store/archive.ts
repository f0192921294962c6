import { createHmac } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Evidence } from '../../model/evidence.ts'
import { Audit } from '../audit/audit.ts'
import { StorageDamage } from './damage.ts'
import { logRecords, readRecord, sealJson, snapshotOf, unsealJson } from './evidence-record.ts'
import { type Filed, Keyring, type KeyringOptions, type Roll, type UserKey } from './keyring.ts'
import { LmdbStorage } from './lmdb.ts'
import type { Outcome } from './outcome.ts'
import type { Place } from './seal.ts'
import type { Filing, Head, LedgerEntry, Storage, Stored, Tally, TallyChange } from './storage.ts'
import { Tombstones } from './tombstones.ts'

/** Records opened between two breaths of the event loop: about two milliseconds. */
const LOAD_SLICE = 128

const LEDGER_KEY_BYTES = 16

/** What is kept of a user, and what of it can't be read any more. */
export interface Loaded {
  readonly head: Head
  /** In the order in which it was written down. */
  readonly evidence: readonly Evidence[]
  /** By position, the record that holds it; of what is in the snapshot, the last that the snapshot covers. */
  readonly seqs: readonly number[]
  /** What was kept with the snapshot for who made it. */
  readonly layout: unknown
  readonly damaged: readonly Damaged[]
  readonly notes: ReadonlyMap<string, unknown>
  /** How many records the log has beyond the snapshot. */
  readonly unfolded: number
}

export type Damaged = ({ readonly seq: number } | { readonly chunk: number } | { readonly note: string }) & {
  readonly reason: 'missing' | 'unreadable'
}

/** One observation as its sender names it. */
export interface Claim {
  readonly agent: string
  readonly id: string
}

export interface Settled extends Claim {
  readonly outcome: Outcome
  readonly time: number
}

/** What a commit adds. Every piece of evidence takes one sequence number, from head.seq + 1 on. */
export interface Commitment<T> {
  readonly evidence: readonly Evidence[]
  readonly outcomes: readonly Settled[]
  readonly tallies: readonly TallyChange[]
  readonly papers?: Papers
  readonly result: T
}

/** Handoffs and the like, as JSON or as text, and what of the user is open from now on. Undefined takes one away. */
export interface Papers {
  readonly written: ReadonlyMap<string, unknown>
  readonly filed: readonly string[]
  readonly isOpen: boolean
}

/** Like a storage's form: called once, must not wait, and what it throws rejects the commit. */
export type Commit<T> = (head: Head, known: readonly (Outcome | undefined)[]) => Commitment<T>

/** The store as the server sees it: users, evidence and outcomes. Below it there are only sealed bytes. */
export class Archive {
  /** Settles, with the reason, when nothing may be served any more. */
  readonly failed: Promise<Error>
  readonly #storage: Storage
  readonly #keyring: Keyring
  readonly #tombstones: Tombstones
  readonly audit: Audit

  constructor(storage: Storage, keyring: Keyring, tombstones = new Tombstones()) {
    this.#tombstones = tombstones
    this.#storage = storage
    this.#keyring = keyring
    this.audit = new Audit(storage, keyring)
    this.failed = Promise.race([storage.failed, keyring.failed])
  }

  static async open(directory: string, options: KeyringOptions = {}): Promise<Archive> {
    const keyring = await Keyring.open(directory, options)
    try {
      const tombstones = new Tombstones(join(directory, 'erased'))
      await beginAnew(directory, keyring)
      const archive = new Archive(LmdbStorage.open(join(directory, 'store'), options), keyring, tombstones)
      await archive.#eraseAgain()
      return archive
    } catch (error) {
      await keyring.close()
      throw error
    }
  }

  /** Of a user of whom nothing is known: nothing, and nothing is written. */
  async load(user: string): Promise<Loaded> {
    const owner = this.#keyring.keyOf(user)
    if (!owner)
      return {
        head: { epoch: this.#base(user), seq: 0 },
        evidence: [],
        seqs: [],
        layout: undefined,
        damaged: [],
        notes: new Map(),
        unfolded: 0,
      }
    const stored = await this.#storage.load(owner.name)
    const loaded = await readAll(owner, stored)
    return { ...loaded, head: { ...loaded.head, epoch: loaded.head.epoch + this.#base(user) } }
  }

  async commit<T>(user: string, ids: readonly Claim[], form: Commit<T>): Promise<T> {
    const owner = await this.#keyring.mint(user)
    const keys = ids.map(id => ledgerKey(owner, id))
    return this.#storage.commit(owner.name, keys, (head, sealed) => {
      const known = sealed.map((outcome, index) => outcome && readOutcome(owner, keys[index] ?? '', outcome))
      const { evidence, outcomes, tallies, papers, result } = form(
        { ...head, epoch: head.epoch + this.#base(user) },
        known,
      )
      return {
        records: logRecords(owner, head, evidence),
        ledger: outcomes.map(settled => ledgerEntry(owner, settled)),
        tallies: tallies.map(change => ({ ...change, agent: this.#keyring.digest('agent', change.agent) })),
        ...(papers && { papers: this.#filing(user, owner, papers) }),
        result,
      }
    })
  }

  #filing(user: string, owner: UserKey, { written, filed, isOpen }: Papers): Filing {
    const sealed = [...written].map(([id, paper]) => ({
      id,
      sealed: paper === undefined ? undefined : sealJson(owner, paperPlace(owner, id), { paper }),
    }))
    return { owner: this.#keyring.digest('user', user), written: sealed, filed, isOpen }
  }

  /**
   * Settles when nothing of a user can be read any more, wherever copies of it may be. First of all it is on disk that it
   * must be so: cut short, it is gone on with at the next start.
   */
  async erase(user: string, at: number): Promise<void> {
    const owner = this.#keyring.keyOf(user)
    if (!owner) return
    const digest = this.#keyring.digest('user', user)
    this.#tombstones.add({ user: digest, name: owner.name, at })
    await this.#keyring.destroy(user)
    await this.#storage.clear(owner.name, digest)
  }

  /** What a crash left of an erasure, or a restored backup brought back. */
  async #eraseAgain(): Promise<void> {
    for (const { user, name } of this.#tombstones.all) {
      await this.#keyring.destroyFiled(user, name)
      await this.#storage.clear(name, user)
    }
  }

  /** When a user was last erased: what was said until then is not taken any more. */
  erasedAt(user: string): number | undefined {
    return this.#tombstones.of(this.#keyring.digest('user', user))?.at
  }

  /** Puts another master key in force. One that was given can only be replaced by one that is given. */
  rotate(next?: Uint8Array): Promise<void> {
    return this.#keyring.rotate(next)
  }

  /** Drops outcomes from before a time. */
  async forget(user: string, before: number): Promise<void> {
    const owner = this.#keyring.keyOf(user)
    if (owner) await this.#storage.forget(owner.name, before)
  }

  /** What stands for a user who must not be named. */
  digestOf(user: string): string {
    return this.#keyring.digest('user', user)
  }

  /** What the epochs of a user begin at: more with every erasure, and with every restore of the store. */
  #base(user: string): number {
    return this.#keyring.era + (this.#tombstones.of(this.#keyring.digest('user', user))?.count ?? 0)
  }

  /** Whether a user has a key: anything was ever written of them, and they were not erased since. */
  knows(user: string): boolean {
    return this.#keyring.keyOf(user) !== undefined
  }

  /** A paper of a user; undefined when there is none. Throws StorageDamage when it can't be read. */
  paper(user: string, id: string): unknown {
    const owner = this.#keyring.keyOf(user)
    const sealed = owner && this.#storage.paper(owner.name, id)
    return owner && sealed && readPaper(owner, id, sealed)
  }

  /** Papers of a user whose ids begin so, in the order of their ids; from one of them on, if it is given. */
  *papers(user: string, prefix: string, from = prefix): Iterable<readonly [id: string, paper: unknown]> {
    const owner = this.#keyring.keyOf(user)
    if (!owner) return
    for (const [id, sealed] of this.#storage.papers(owner.name, from)) {
      if (!id.startsWith(prefix)) return
      yield [id, readPaper(owner, id, sealed)]
    }
  }

  /** Whom a filed paper is of; undefined when it never was, or its owner's key is destroyed. */
  whose(id: string): string | undefined {
    const owner = this.#storage.whose(id)
    return owner === undefined ? undefined : this.#keyring.userOf(owner)
  }

  /** The users that have something open. */
  *open(): Iterable<string> {
    for (const owner of this.#storage.open()) {
      const user = this.#keyring.userOf(owner)
      if (user !== undefined) yield user
    }
  }

  /** A keyed digest that only this user's key makes, and nobody once it is destroyed. */
  async mac(user: string): Promise<(text: string) => string> {
    const { key } = await this.#keyring.mint(user)
    const derived = createHmac('sha256', key).update('handoff').digest()
    return text => createHmac('sha256', derived).update(text).digest('hex')
  }

  /** Replaces all that was logged up to `upTo` by `evidence`, with a `layout` of its maker's. False when the user's epoch is another one by now. */
  async fold(
    user: string,
    epoch: number,
    upTo: number,
    evidence: readonly Evidence[],
    forgetBefore: number,
    layout: unknown = null,
  ): Promise<boolean> {
    const owner = this.#keyring.keyOf(user)
    if (!owner) return false
    return this.#storage.fold(
      owner.name,
      epoch - this.#base(user),
      snapshotOf(owner, upTo, evidence, layout),
      forgetBefore,
    )
  }

  async note(user: string, kind: string, note: unknown): Promise<void> {
    const owner = await this.#keyring.mint(user)
    await this.#storage.note(owner.name, kind, sealJson(owner, notePlace(owner, kind), { note }))
  }

  /** A number of this user's own for a text, that tells nothing of either; the same as long as the user's key lives. */
  mark(user: string, text: string): bigint {
    const owner = this.#keyring.keyOf(user)
    if (!owner) throw new Error('A user of whom nothing is known has no key.')
    return createHmac('sha256', owner.key).update(`mark\n${text}`).digest().readBigUInt64BE()
  }

  tally(agent: string): Tally {
    return this.#storage.tally(this.#keyring.digest('agent', agent))
  }

  /** Throws StorageDamage when the setting is there and can't be read: a lost revocation must not go unnoticed. */
  setting(key: string): unknown {
    const sealed = this.#storage.setting(key)
    if (!sealed) return undefined
    const { desk } = this.#keyring
    const setting = unsealJson<{ value: unknown }>(desk, settingPlace(desk, key), sealed)
    if (!setting) throw new StorageDamage(`The setting ${key} is damaged.`)
    return setting.value
  }

  async putSetting(key: string, value: unknown): Promise<void> {
    const { desk } = this.#keyring
    await this.#storage.putSetting(key, sealJson(desk, settingPlace(desk, key), { value }))
  }

  users(): Roll {
    return this.#keyring.roll()
  }

  /** Users some at a time, in an order that says nothing of them. */
  usersFrom(digest: string, most: number): Filed[] {
    return this.#keyring.rollFrom(digest, most)
  }

  async close(): Promise<void> {
    await this.#storage.close()
    await this.#keyring.close()
  }
}

/** Says that a directory is a copy, which goes its own way from its first start on. */
export const COPY = 'copy'

/** In seconds, so that two copies that are started one after the other differ from each other as well. */
async function beginAnew(directory: string, keyring: Keyring): Promise<void> {
  const mark = join(directory, COPY)
  if (!existsSync(mark)) return
  await keyring.beginEra(Math.max(keyring.era + 1, Math.floor(Date.now() / 1_000)))
  rmSync(mark)
}

async function readAll(owner: UserKey, stored: Stored): Promise<Loaded> {
  const damaged: Damaged[] = []
  const evidence: Evidence[] = []
  const seqs: number[] = []
  let layout: unknown
  let opened = 0
  for (const { place, where, seq, sealed } of records(owner, stored)) {
    const held = sealed && readRecord(owner, place, sealed)
    if (!held) damaged.push({ ...where, reason: sealed ? 'unreadable' : 'missing' })
    else if ('layout' in held) layout = held.layout
    else for (const piece of held) seqs[evidence.push(piece) - 1] = seq
    if (++opened % LOAD_SLICE === 0) await new Promise(resolve => setImmediate(resolve))
  }
  const unfolded = stored.head.seq - (stored.snapshot?.upTo ?? 0)
  return { head: stored.head, evidence, seqs, layout, notes: readNotes(owner, stored, damaged), damaged, unfolded }
}

interface Located {
  readonly place: Place
  readonly where: { readonly seq: number } | { readonly chunk: number }
  readonly seq: number
  readonly sealed: Uint8Array | undefined
}

/** Every record that should be there: the head says which, whatever the log holds. */
function* records({ name }: UserKey, { head, snapshot, log }: Stored): Iterable<Located> {
  const upTo = snapshot?.upTo ?? 0
  const chunks = snapshot?.chunks ?? []
  for (const [chunk, sealed] of chunks.entries())
    yield {
      place: { kind: 'snapshot', name, chunk, chunks: chunks.length, upTo },
      where: { chunk },
      seq: upTo,
      sealed: sealed.length > 0 ? sealed : undefined,
    }
  const logged = new Map(log.map(record => [record.seq, record.sealed]))
  for (let seq = upTo + 1; seq <= head.seq; seq++)
    yield { place: { kind: 'log', name, seq }, where: { seq }, seq, sealed: logged.get(seq) }
}

function readNotes(owner: UserKey, stored: Stored, damaged: Damaged[]): Map<string, unknown> {
  const notes = new Map<string, unknown>()
  for (const [kind, sealed] of stored.notes) {
    const note = unsealJson<{ note: unknown }>(owner, notePlace(owner, kind), sealed)
    if (note) notes.set(kind, note.note)
    else damaged.push({ note: kind, reason: 'unreadable' })
  }
  return notes
}

const paperPlace = ({ name }: UserKey, paper: string): Place => ({ kind: 'paper', name, paper })

function readPaper(owner: UserKey, id: string, sealed: Uint8Array): unknown {
  const read = unsealJson<{ paper: unknown }>(owner, paperPlace(owner, id), sealed)
  if (!read) throw new StorageDamage(`The paper ${id} is damaged.`)
  return read.paper
}

const notePlace = ({ name }: UserKey, note: string): Place => ({ kind: 'note', name, note })

const settingPlace = ({ name }: UserKey, setting: string): Place => ({ kind: 'setting', name, setting })

/** Under the user's key, so that the ledger tells nobody who said what, and nothing once the key is destroyed. */
function ledgerKey(owner: UserKey, { agent, id }: Claim): string {
  return createHmac('sha256', owner.key).update(`${agent}\n${id}`).digest().toString('hex', 0, LEDGER_KEY_BYTES)
}

function ledgerEntry(owner: UserKey, settled: Settled): LedgerEntry {
  const key = ledgerKey(owner, settled)
  const outcome = sealJson(owner, { kind: 'outcome', name: owner.name, ledgerKey: key }, settled.outcome)
  return { key, outcome, time: settled.time }
}

function readOutcome(owner: UserKey, key: string, sealed: Uint8Array): Outcome {
  const outcome = unsealJson<Outcome>(owner, { kind: 'outcome', name: owner.name, ledgerKey: key }, sealed)
  // Taken for unknown, the same observation would be admitted twice.
  if (!outcome) throw new StorageDamage(`The outcome filed under ${key} is damaged.`)
  return outcome
}
