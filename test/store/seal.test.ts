import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KEY_BYTES, type Place, seal, unseal } from '../../server/store/seal.ts'

const KEY = randomBytes(KEY_BYTES)
const name = fc.constantFrom('a', 'b', 'a,b', '"')
const place: fc.Arbitrary<Place> = fc.oneof(
  fc.record({ kind: fc.constant('log' as const), name, seq: fc.nat(3) }),
  fc.record({ kind: fc.constant('snapshot' as const), name, chunk: fc.nat(2), chunks: fc.nat(2), upTo: fc.nat(2) }),
  fc.record({ kind: fc.constant('note' as const), name, note: name }),
  fc.record({ kind: fc.constant('outcome' as const), name, ledgerKey: name }),
  fc.record({ kind: fc.constant('setting' as const), name, setting: name }),
  fc.record({ kind: fc.constant('key' as const), name }),
)
const plaintext = fc.uint8Array({ maxLength: 200 })

test('[STO-30] what was sealed is opened as it was, and is not in the sealed bytes', () => {
  fc.assert(
    fc.property(place, plaintext, (where, plain) => {
      const sealed = seal(KEY, where, plain)
      expect(Buffer.from(unseal(KEY, where, sealed) ?? 'damaged')).toEqual(Buffer.from(plain))
      if (plain.length > 8) expect(Buffer.from(sealed).includes(Buffer.from(plain))).toBe(false)
    }),
  )
})

test('[STO-31] any flipped bit, cut or added byte is noticed', () => {
  fc.assert(
    fc.property(place, plaintext, fc.nat(), fc.nat(7), (where, plain, at, bit) => {
      const sealed = Buffer.from(seal(KEY, where, plain))
      const flipped = Buffer.from(sealed)
      flipped[at % sealed.length] = (flipped[at % sealed.length] ?? 0) ^ (1 << bit)
      expect(unseal(KEY, where, flipped)).toBeUndefined()
      expect(unseal(KEY, where, sealed.subarray(0, at % sealed.length))).toBeUndefined()
      expect(unseal(KEY, where, Buffer.concat([sealed, Uint8Array.of(0)]))).toBeUndefined()
    }),
    { numRuns: 1_000 },
  )
})

test('[STO-32] a record is opened in its own place and under its own key only', () => {
  fc.assert(
    fc.property(place, place, plaintext, (where, other, plain) => {
      const sealed = seal(KEY, where, plain)
      expect(unseal(KEY, other, sealed) !== undefined).toBe(JSON.stringify(where) === JSON.stringify(other))
      expect(unseal(randomBytes(KEY_BYTES), where, sealed)).toBeUndefined()
    }),
    { numRuns: 1_000 },
  )
})
