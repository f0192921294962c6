import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'

/**
 * A version as others see it: (user, epoch, last write readable in their scope), as one enciphered block, so that it
 * can be compared for equality and handed back, and tells nothing of how much was written that they can't read.
 *
 *     4 bytes of the user's digest · 4 bytes epoch · 8 bytes sequence  →  AES-128  →  22 characters
 */
export class Versions {
  readonly #key: Buffer

  constructor(secret: Uint8Array) {
    this.#key = createHash('sha256').update('version').update(secret).digest().subarray(0, 16)
  }

  seal(user: string, epoch: number, seq: number): string {
    const block = Buffer.alloc(16)
    digest(user).copy(block)
    block.writeUInt32BE(epoch, 4)
    block.writeBigUInt64BE(BigInt(seq), 8)
    return createCipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false).update(block).toString('base64url')
  }

  /** The write a version stands for; undefined when it is no version of this user. */
  open(user: string, version: string): { readonly epoch: number; readonly seq: number } | undefined {
    const bytes = Buffer.from(version, 'base64url')
    if (bytes.length !== 16) return undefined
    const block = createDecipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false).update(bytes)
    if (!block.subarray(0, 4).equals(digest(user))) return undefined
    return { epoch: block.readUInt32BE(4), seq: Number(block.readBigUInt64BE(8)) }
  }
}

const digest = (user: string): Buffer => createHash('sha256').update(user).digest().subarray(0, 4)
