import { createHmac, randomBytes } from 'node:crypto'
import { KEY_BYTES, type Place, seal, unseal } from './seal.ts'

const PLACE: Place = { kind: 'setting', name: 'keyring', setting: 'root' }

/**
 * The secrets that all others hang on, wrapped together by the master key as one cell. Another master key is then one
 * atomic write, and what digests and signatures were made with stays the same through it.
 */
export interface Root {
  /** Wraps the users' keys. */
  readonly wrap: Uint8Array
  /** What wrapped them before, while a rotation is not through. */
  readonly before: Uint8Array | undefined
  /** Makes the digests that stand for ids. */
  readonly digest: Uint8Array
  /** Seals what belongs to no user. */
  readonly desk: Uint8Array
  /** Signs the audit. */
  readonly audit: Uint8Array
  /** Rises with every restore, and with it the epoch of every user. */
  readonly era: number
}

export const newRoot = (): Root => ({
  wrap: randomBytes(KEY_BYTES),
  before: undefined,
  digest: randomBytes(KEY_BYTES),
  desk: randomBytes(KEY_BYTES),
  audit: randomBytes(KEY_BYTES),
  era: 0,
})

/** Always the same for a secret: for stores that are not kept. */
export function rootOf(secret: Uint8Array): Root {
  const derived = (what: string) => createHmac('sha256', secret).update(what).digest()
  return {
    wrap: derived('wrap'),
    before: undefined,
    digest: derived('digest'),
    desk: derived('desk'),
    audit: derived('audit'),
    era: 0,
  }
}

interface Written {
  readonly wrap: string
  readonly before?: string
  readonly digest: string
  readonly desk: string
  readonly audit: string
  readonly era: number
}

export function sealRoot(master: Uint8Array, { wrap, before, digest, desk, audit, era }: Root): Uint8Array {
  const written: Written = {
    wrap: text(wrap),
    ...(before && { before: text(before) }),
    digest: text(digest),
    desk: text(desk),
    audit: text(audit),
    era,
  }
  return seal(master, PLACE, Buffer.from(JSON.stringify(written)))
}

/** Undefined when it was sealed under another master key. */
export function unsealRoot(master: Uint8Array, sealed: Uint8Array): Root | undefined {
  const bytes = unseal(master, PLACE, sealed)
  if (!bytes) return undefined
  const { wrap, before, digest, desk, audit, era }: Written = JSON.parse(Buffer.from(bytes).toString())
  return {
    wrap: key(wrap),
    before: before === undefined ? undefined : key(before),
    digest: key(digest),
    desk: key(desk),
    audit: key(audit),
    era,
  }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const key = (written: string): Uint8Array => Buffer.from(written, 'base64')
