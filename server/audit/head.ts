import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'

/** How far the audit had come at a time, signed. Kept elsewhere, it proves later that nothing before it is gone. */
export const headShape = z.strictObject({
  number: z.int().min(0),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.number(),
  /** By which the signature can be checked without any secret, in base64. */
  key: z.string().max(128),
  signature: z.string().max(128),
})

export type Head = z.infer<typeof headShape>

/** An Ed25519 private key in PKCS#8 is these bytes and a seed. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Signs heads, and makes the key of the tags, from one secret. */
export class Signer {
  readonly tagKey: Uint8Array
  readonly #private: KeyObject
  readonly #public: string

  constructor(seed: Uint8Array) {
    this.#private = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
    this.#public = createPublicKey(this.#private).export({ format: 'der', type: 'spki' }).toString('base64')
    this.tagKey = createHmac('sha256', seed).update('tag').digest()
  }

  sign(number: number, digest: Uint8Array, at: number): Head {
    const head = { number, digest: Buffer.from(digest).toString('hex'), at, key: this.#public }
    return { ...head, signature: sign(null, signedText(head), this.#private).toString('base64') }
  }

  /** Whether it was this server that signed it. */
  isOwn(head: Head): boolean {
    return head.key === this.#public && isSigned(head)
  }
}

function isSigned(head: Head): boolean {
  const key = createPublicKey({ key: Buffer.from(head.key, 'base64'), format: 'der', type: 'spki' })
  return verify(null, signedText(head), key, Buffer.from(head.signature, 'base64'))
}

const signedText = ({ number, digest, at }: Omit<Head, 'signature'>): Buffer =>
  Buffer.from(`selfsame audit head\n${number}\n${digest}\n${at}`)
