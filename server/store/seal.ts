import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + IV_BYTES + TAG_BYTES

export const KEY_BYTES = 32

/** Where a record belongs. It is authenticated with the record, so that none can be moved, swapped or cut unnoticed. */
export type Place =
  | { readonly kind: 'log'; readonly name: string; readonly seq: number }
  | {
      readonly kind: 'snapshot'
      readonly name: string
      readonly chunk: number
      readonly chunks: number
      readonly upTo: number
    }
  | { readonly kind: 'note'; readonly name: string; readonly note: string }
  | { readonly kind: 'outcome'; readonly name: string; readonly ledgerKey: string }
  | { readonly kind: 'setting'; readonly name: string; readonly setting: string }
  | { readonly kind: 'paper'; readonly name: string; readonly paper: string }
  | { readonly kind: 'audit'; readonly name: string; readonly entry: number }
  | { readonly kind: 'key'; readonly name: string }

/** AES-256-GCM: version (1), IV (12), tag (16), ciphertext, which is as long as the plaintext. */
export function seal(key: Uint8Array, place: Place, plaintext: Uint8Array): Uint8Array {
  const iv = newIv()
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
  cipher.setAAD(associated(place, plaintext.length))
  const body = cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([Uint8Array.of(VERSION), iv, cipher.getAuthTag(), body])
}

const IVS_AT_ONCE = 1_024
let ivs = Buffer.alloc(0)

/** Random bytes cost by the call, so many are fetched at once; each is used once. */
function newIv(): Uint8Array {
  if (ivs.length === 0) ivs = randomBytes(IVS_AT_ONCE * IV_BYTES)
  const iv = ivs.subarray(0, IV_BYTES)
  ivs = ivs.subarray(IV_BYTES)
  return iv
}

/** The plaintext, or undefined when the bytes are not those that were sealed for this place under this key. */
export function unseal(key: Uint8Array, place: Place, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) return undefined
  const iv = sealed.subarray(1, 1 + IV_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(1 + IV_BYTES, HEADER_BYTES))
  decipher.setAAD(associated(place, sealed.length - HEADER_BYTES))
  const plaintext = decipher.update(sealed.subarray(HEADER_BYTES))
  try {
    decipher.final()
    return plaintext
  } catch {
    return undefined
  }
}

/** `[1,400,"log","9f…",17]`: version, length, then the place's own values in their order. */
function associated(place: Place, length: number): Uint8Array {
  return Buffer.from(JSON.stringify([VERSION, length, ...values(place)]))
}

function values(place: Place): readonly (string | number)[] {
  switch (place.kind) {
    case 'log':
      return [place.kind, place.name, place.seq]
    case 'snapshot':
      return [place.kind, place.name, place.chunk, place.chunks, place.upTo]
    case 'note':
      return [place.kind, place.name, place.note]
    case 'outcome':
      return [place.kind, place.name, place.ledgerKey]
    case 'setting':
      return [place.kind, place.name, place.setting]
    case 'paper':
      return [place.kind, place.name, place.paper]
    case 'audit':
      return [place.kind, place.name, place.entry]
    case 'key':
      return [place.kind, place.name]
  }
}
