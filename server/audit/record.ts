import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * One entry of the audit as it is stored. Each holds a digest over its number, the digest before it and all of its bytes,
 * so none can be altered, dropped or moved without breaking the chain; and a tag that only the server's key makes, so
 * that a chain which was computed anew is noticed at its first entry.
 *
 *     digest (32) · tag (16) · body: version (1) · mark (1) · at (8) · length of owner (1) · owner · sealed details
 */
export interface AuditRecord {
  readonly digest: Uint8Array
  readonly tag: Uint8Array
  readonly body: Uint8Array
}

/** What stands in a body in plain sight. The owner is a random name that means nothing without the keys. */
export interface Body {
  readonly mark: Mark
  readonly at: number
  readonly owner: string
  readonly sealed: Uint8Array
}

/** A start that no stop precedes was a crash: what was noted in its last moment may be lost. */
export const MARKS = ['entry', 'start', 'stop', 'head'] as const
export type Mark = (typeof MARKS)[number]

const VERSION = 1
const DIGEST_BYTES = 32
const TAG_BYTES = 16
const BODY_HEADER = 11

/** What the first entry is chained to. */
export const NO_DIGEST: Uint8Array = new Uint8Array(DIGEST_BYTES)

export function bodyOf({ mark, at, owner, sealed }: Body): Uint8Array {
  const header = Buffer.alloc(BODY_HEADER)
  header[0] = VERSION
  header[1] = MARKS.indexOf(mark)
  header.writeDoubleBE(at, 2)
  header[10] = owner.length
  return Buffer.concat([header, Buffer.from(owner, 'latin1'), sealed])
}

/** Undefined when these are no bytes of ours. */
export function readBody(bytes: Uint8Array): Body | undefined {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const mark = MARKS[body[1] ?? MARKS.length]
  const length = body[10]
  if (body[0] !== VERSION || mark === undefined || length === undefined) return undefined
  const sealed = BODY_HEADER + length
  return {
    mark,
    at: body.readDoubleBE(2),
    owner: body.toString('latin1', BODY_HEADER, sealed),
    sealed: body.subarray(sealed),
  }
}

export function recordOf(key: Uint8Array, number: number, before: Uint8Array, body: Uint8Array): AuditRecord {
  const digest = digestOf(number, before, body)
  return { digest, tag: tagOf(key, digest, body), body }
}

export const writeRecord = ({ digest, tag, body }: AuditRecord): Uint8Array => Buffer.concat([digest, tag, body])

export function readRecord(bytes: Uint8Array): AuditRecord | undefined {
  const from = DIGEST_BYTES + TAG_BYTES
  if (bytes.length < from + BODY_HEADER) return undefined
  return {
    digest: bytes.subarray(0, DIGEST_BYTES),
    tag: bytes.subarray(DIGEST_BYTES, from),
    body: bytes.subarray(from),
  }
}

export function digestOf(number: number, before: Uint8Array, body: Uint8Array): Uint8Array {
  const place = Buffer.alloc(8)
  place.writeDoubleBE(number)
  return createHash('sha256').update(before).update(place).update(body).digest()
}

/** Whether a record was written by who has the key, wherever it stands now. */
export const isGenuine = (key: Uint8Array, { digest, tag, body }: AuditRecord): boolean =>
  timingSafeEqual(tagOf(key, digest, body), tag)

const tagOf = (key: Uint8Array, digest: Uint8Array, body: Uint8Array): Uint8Array =>
  createHmac('sha256', key).update(digest).update(body).digest().subarray(0, TAG_BYTES)
