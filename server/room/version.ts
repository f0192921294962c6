import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'

export interface Moment {
  readonly epoch: number
  readonly joins: number
  readonly seq: number
}

/**
 * A version as others see it: (user, epoch, how often names were joined or parted, last write readable in their scope),
 * as one enciphered block, so that it can be compared for equality and handed back, and tells nothing of how much was
 * written that they can't read.
 *
 *     4 bytes of the user's digest · 4 bytes epoch · 2 bytes joins · 6 bytes sequence  →  AES-128  →  22 characters
 */
export class Versions {
  readonly #key: Buffer

  constructor(secret: Uint8Array) {
    this.#key = createHash('sha256').update('version').update(secret).digest().subarray(0, 16)
  }

  seal(user: string, { epoch, joins, seq }: Moment): string {
    const block = Buffer.alloc(16)
    digest(user).copy(block)
    block.writeUInt32BE(epoch, 4)
    block.writeUInt16BE(joins, 8)
    block.writeUIntBE(seq, 10, 6)
    return createCipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false).update(block).toString('base64url')
  }

  /** The write a version stands for; undefined when it is no version of this user. */
  open(user: string, version: string): Moment | undefined {
    const bytes = Buffer.from(version, 'base64url')
    if (bytes.length !== 16) return undefined
    const block = createDecipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false).update(bytes)
    if (!block.subarray(0, 4).equals(digest(user))) return undefined
    return { epoch: block.readUInt32BE(4), joins: block.readUInt16BE(8), seq: block.readUIntBE(10, 6) }
  }
}

const digest = (user: string): Buffer => createHash('sha256').update(user).digest().subarray(0, 4)
