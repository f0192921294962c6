import type { Evidence } from '../../model/evidence.ts'
import type { UserKey } from './keyring.ts'
import { type Place, seal, unseal } from './seal.ts'
import type { Head, LogRecord, Snapshot } from './storage.ts'

/** A chunk is what a flipped bit can take away; only one piece of evidence larger than that makes a larger chunk. */
export const MAX_CHUNK_BYTES = 65_536

/** One record for each piece, numbered by its place: what came from elsewhere has a sequence number of its own in it. */
export function logRecords(owner: UserKey, head: Head, evidence: readonly Evidence[]): LogRecord[] {
  return evidence.map((piece, index) => {
    const seq = head.seq + index + 1
    return { seq, sealed: sealJson(owner, { kind: 'log', name: owner.name, seq }, [piece]) }
  })
}

export function snapshotOf(owner: UserKey, upTo: number, evidence: readonly Evidence[], layout: unknown): Snapshot {
  const texts = [...chunkTexts(evidence), JSON.stringify({ layout })]
  const chunks = texts.map((text, chunk) =>
    seal(owner.key, { kind: 'snapshot', name: owner.name, chunk, chunks: texts.length, upTo }, Buffer.from(text)),
  )
  return { upTo, chunks }
}

/** JSON arrays of whole pieces of evidence, so that each chunk can be read without the others. */
function chunkTexts(evidence: readonly Evidence[]): string[] {
  const texts: string[] = []
  let parts: string[] = []
  let bytes = 2
  for (const text of evidence.map(item => JSON.stringify(item))) {
    const more = Buffer.byteLength(text) + 1
    if (parts.length > 0 && bytes + more > MAX_CHUNK_BYTES) {
      texts.push(`[${parts.join(',')}]`)
      parts = []
      bytes = 2
    }
    parts.push(text)
    bytes += more
  }
  return parts.length > 0 ? [...texts, `[${parts.join(',')}]`] : texts
}

/** Pieces of evidence, or the layout that a snapshot ends with. */
type Held = Evidence[] | { readonly layout: unknown }

export const readRecord = (owner: UserKey, place: Place, sealed: Uint8Array): Held | undefined =>
  unsealJson<Held>(owner, place, sealed)

export function sealJson(owner: UserKey, place: Place, value: unknown): Uint8Array {
  return seal(owner.key, place, Buffer.from(JSON.stringify(value)))
}

/** What was sealed as a T; undefined when it is damaged. The seal vouches for the shape. */
export function unsealJson<T>(owner: UserKey, place: Place, sealed: Uint8Array): T | undefined {
  const bytes = unseal(owner.key, place, sealed)
  return bytes && JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString())
}
