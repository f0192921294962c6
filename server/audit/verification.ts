import type { Head, Signer } from './head.ts'
import { digestOf, isGenuine, NO_DIGEST, readBody, readRecord } from './record.ts'

/** Where the chain begins: after what retention has taken away, as the server has signed. */
export interface Beginning {
  readonly number: number
  readonly digest: Uint8Array
}

export const FROM_THE_FIRST: Beginning = { number: 0, digest: NO_DIGEST }

/** Between these two times the process ended without a stop; what it noted last may be lost. */
export interface CrashGap {
  readonly after: number
  readonly from: number
  readonly to: number
}

export type Problem = 'altered' | 'missing' | 'moved' | 'truncated' | 'not as signed'

export interface Finding {
  readonly entry: number
  readonly problem: Problem
}

export interface Report {
  readonly first: number
  readonly last: number
  /** The first entry that is not what was written. */
  readonly finding: Finding | undefined
  readonly crashes: readonly CrashGap[]
  /** Entries after the last signed head: if these were cut off, nothing would tell. */
  readonly unsigned: number
}

/**
 * Walks the chain from its beginning, and names the first entry that is not what was written. Heads say how far the chain
 * must reach and what it was there.
 */
export function verifyChain(
  entries: Iterable<readonly [number, Uint8Array]>,
  beginning: Beginning,
  signer: Signer,
  heads: readonly Head[],
): Report {
  const walk = new Walk(beginning, signer, heads)
  for (const [number, bytes] of entries) if (number > beginning.number && !walk.take(number, bytes)) break
  return walk.report()
}

class Walk {
  readonly #beginning: Beginning
  readonly #signer: Signer
  readonly #heads: ReadonlyMap<number, Head>
  readonly #crashes: CrashGap[] = []
  #last: Beginning
  #lastAt = 0
  #isStopped = true
  #finding: Finding | undefined

  constructor(beginning: Beginning, signer: Signer, heads: readonly Head[]) {
    this.#beginning = beginning
    this.#last = beginning
    this.#signer = signer
    this.#heads = new Map(heads.map(head => [head.number, head]))
  }

  take(number: number, bytes: Uint8Array): boolean {
    const problem = this.#problemOf(number, bytes)
    if (problem) this.#finding = { entry: problem === 'missing' ? this.#last.number + 1 : number, problem }
    return !problem
  }

  #problemOf(number: number, bytes: Uint8Array): Problem | undefined {
    if (number !== this.#last.number + 1) return 'missing'
    const record = readRecord(bytes)
    const body = record && readBody(record.body)
    if (!record || !body || !isGenuine(this.#signer.tagKey, record)) return 'altered'
    const digest = digestOf(number, this.#last.digest, record.body)
    if (!Buffer.from(digest).equals(record.digest)) return 'moved'
    const head = this.#heads.get(number)
    if (head && head.digest !== Buffer.from(digest).toString('hex')) return 'not as signed'
    if (body.mark === 'start' && !this.#isStopped)
      this.#crashes.push({ after: number - 1, from: this.#lastAt, to: body.at })
    this.#isStopped = body.mark === 'stop'
    this.#lastAt = body.at
    this.#last = { number, digest }
    return undefined
  }

  report(): Report {
    const signed = Math.max(this.#beginning.number, ...this.#heads.keys())
    const isCut = !this.#finding && this.#last.number < signed
    return {
      first: this.#beginning.number + 1,
      last: this.#last.number,
      finding: isCut ? { entry: this.#last.number + 1, problem: 'truncated' } : this.#finding,
      crashes: this.#crashes,
      unsigned: Math.max(0, this.#last.number - signed),
    }
  }
}
