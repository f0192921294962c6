import { StorageDamage } from '../store/damage.ts'
import { sealJson, unsealJson } from '../store/evidence-record.ts'
import type { Keyring, UserKey } from '../store/keyring.ts'
import type { Place } from '../store/seal.ts'
import type { Storage } from '../store/storage.ts'
import { type Head, headShape, Signer } from './head.ts'
import type { Details, Note } from './note.ts'
import { bodyOf, type Mark, NO_DIGEST, readBody, readRecord, recordOf, writeRecord } from './record.ts'

export const CUT = 'audit-cut'

/** A note that was found again. */
export interface Noted extends Omit<Details, 'as'> {
  readonly number: number
  readonly at: number
}

interface Last {
  readonly number: number
  readonly digest: Uint8Array
}

/**
 * The chained log of who did what. Details are sealed under the key of whom they concern: once that is destroyed they
 * can't be read, and the chain over what was sealed still holds. Appends must wait for each other.
 */
export class Audit {
  readonly #storage: Storage
  readonly #keyring: Keyring
  readonly #signer: Signer
  #last: Last

  constructor(storage: Storage, keyring: Keyring) {
    this.#storage = storage
    this.#keyring = keyring
    this.#signer = new Signer(keyring.auditSeed)
    this.#last = this.#found()
  }

  /** What was cut off the end leaves a gap for good: numbers go on after the last one that was signed. */
  #found(): Last {
    const last = this.#storage.audit.last()
    const record = last && readRecord(last[1])
    if (last && !record) throw new StorageDamage(`The entry ${last[0]} of the audit is damaged.`)
    const stored = last && record ? { number: last[0], digest: record.digest } : { number: 0, digest: NO_DIGEST }
    const heads = [this.#keyring.auditHead(), this.cut].filter(head => head && this.#signer.isOwn(head))
    const signed = heads.reduce((a, b) => (b && b.number > (a?.number ?? 0) ? b : a), undefined)
    if (!signed || signed.number <= stored.number) return stored
    return { number: signed.number, digest: Buffer.from(signed.digest, 'hex') }
  }

  knows(user: string): boolean {
    return this.#keyring.keyOf(user) !== undefined
  }

  get last(): number {
    return this.#last.number
  }

  /** Durable when this settles. Answers with the number of each, in order; what concerns a user without a key is left out. */
  async append(notes: readonly (Note & Details)[], mark: Mark = 'entry'): Promise<(number | undefined)[]> {
    let last = this.#last
    const cells: { number: number; owner: string; record: Uint8Array }[] = []
    const numbers = notes.map(({ user, at, ...details }) => {
      const owner = user === undefined ? this.#keyring.desk : this.#keyring.keyOf(user)
      if (!owner) return undefined
      const number = last.number + 1
      const sealed = sealJson(owner, placeOf(owner, number), details)
      const body = bodyOf({ mark, at, owner: owner.name, sealed })
      const record = recordOf(this.#signer.tagKey, number, last.digest, body)
      cells.push({ number, owner: owner.name, record: writeRecord(record) })
      last = { number, digest: record.digest }
      return number
    })
    if (cells.length > 0) await this.#storage.audit.append(cells)
    this.#last = last
    return numbers
  }

  /** Signs how far it has come, in the chain and with the keys, which are kept apart from it. */
  async signHead(at: number): Promise<Head> {
    const signed = this.#signer.sign(this.#last.number, this.#last.digest, at)
    await this.#keyring.putAuditHead(signed)
    return signed
  }

  /** The latest first. Of a user without a key there is nothing to tell. */
  *trail(user: string, below?: number): Iterable<Noted> {
    const owner = this.#keyring.keyOf(user)
    if (!owner) return
    for (const number of this.#storage.audit.trail(owner.name, below)) {
      const noted = this.#read(owner, number)
      if (noted) yield noted
    }
  }

  /** What concerns nobody in particular. */
  *ofDesk(): Iterable<Noted> {
    for (const number of this.#storage.audit.trail(this.#keyring.desk.name)) {
      const noted = this.#read(this.#keyring.desk, number)
      if (noted) yield noted
    }
  }

  #read(owner: UserKey, number: number): Noted | undefined {
    const read = this.#details(owner, number)
    if (!read) return undefined
    const { as, ...details } = read.details
    const fields = details.fields ?? (as === undefined ? undefined : this.#details(owner, as)?.details.fields)
    return { number, at: read.at, ...details, ...(fields && { fields }) }
  }

  #details(owner: UserKey, number: number): { at: number; details: Details } | undefined {
    const stored = this.#storage.audit.get(number)
    const record = stored && readRecord(stored)
    const body = record && readBody(record.body)
    const details = body && unsealJson<Details>(owner, placeOf(owner, number), body.sealed)
    return body && details && { at: body.at, details }
  }

  /** What retention has taken away, as it was signed. */
  get cut(): Head | undefined {
    const stored = this.#storage.setting(CUT)
    return stored && headShape.parse(JSON.parse(Buffer.from(stored).toString()))
  }

  /** Takes away entries from before a time, at most so many. What is left begins at a signed place. Says how many went. */
  async forget(before: number, atMost: number, at: number): Promise<number> {
    const gone: { number: number; owner: string; digest: Uint8Array }[] = []
    for (const [number, bytes] of this.#storage.audit.from(0)) {
      const record = readRecord(bytes)
      const body = record && readBody(record.body)
      if (!record || !body || body.at >= before || gone.length >= atMost) break
      gone.push({ number, owner: body.owner, digest: Uint8Array.from(record.digest) })
    }
    const end = gone.at(-1)
    if (!end) return 0
    const signed = this.#signer.sign(end.number, end.digest, at)
    await this.#storage.putSetting(CUT, Buffer.from(JSON.stringify(signed)))
    await this.#storage.audit.remove(gone)
    return gone.length
  }
}

const placeOf = ({ name }: UserKey, entry: number): Place => ({ kind: 'audit', name, entry })
