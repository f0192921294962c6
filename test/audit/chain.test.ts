import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Signer } from '../../server/audit/head.ts'
import { bodyOf, NO_DIGEST, recordOf, writeRecord } from '../../server/audit/record.ts'
import { FROM_THE_FIRST, verifyChain } from '../../server/audit/verification.ts'

const signer = new Signer(randomBytes(32))

interface Chain {
  readonly entries: (readonly [number, Uint8Array])[]
  readonly digests: Uint8Array[]
}

function chainOf(length: number, key = signer.tagKey): Chain {
  const chain: Chain = { entries: [], digests: [NO_DIGEST] }
  for (let number = 1; number <= length; number++) {
    const body = bodyOf({ mark: 'entry', at: number, owner: `owner${number % 3}`, sealed: randomBytes(40) })
    const record = recordOf(key, number, chain.digests[number - 1] as Uint8Array, body)
    chain.entries.push([number, writeRecord(record)])
    chain.digests.push(record.digest)
  }
  return chain
}

const headOf = ({ digests }: Chain, number: number) => signer.sign(number, digests[number] as Uint8Array, 0)

const places = fc.integer({ min: 3, max: 40 }).chain(length =>
  fc.record({
    length: fc.constant(length),
    a: fc.integer({ min: 1, max: length }),
    b: fc.integer({ min: 1, max: length }),
  }),
)

test('[AUD-10] a chain as it was written is found so, from any signed beginning', () => {
  fc.assert(
    fc.property(places, ({ length, a }) => {
      const chain = chainOf(length)
      const report = verifyChain(chain.entries, FROM_THE_FIRST, signer, [headOf(chain, a), headOf(chain, length)])
      expect(report).toMatchObject({ first: 1, last: length, finding: undefined, unsigned: 0 })
      const rest = chain.entries.slice(a)
      const cut = verifyChain(rest, { number: a, digest: chain.digests[a] as Uint8Array }, signer, [
        headOf(chain, length),
      ])
      expect(cut).toMatchObject({ first: a + 1, last: length, finding: undefined })
    }),
    { numRuns: 30 },
  )
})

test('[AUD-11] any altered bit is named by its entry', () => {
  fc.assert(
    fc.property(places, fc.nat(), fc.integer({ min: 0, max: 7 }), ({ length, a }, at, bit) => {
      const chain = chainOf(length)
      const [number, bytes] = chain.entries[a - 1] as [number, Uint8Array]
      const altered = Uint8Array.from(bytes)
      altered[at % altered.length] = (altered[at % altered.length] as number) ^ (1 << bit)
      chain.entries[a - 1] = [number, altered]
      expect(verifyChain(chain.entries, FROM_THE_FIRST, signer, []).finding).toEqual({ entry: a, problem: 'altered' })
    }),
    { numRuns: 100 },
  )
})

test('[AUD-12] a dropped entry, two that changed places and an end that was cut off are named', () => {
  fc.assert(
    fc.property(places, ({ length, a, b }) => {
      const chain = chainOf(length)
      const head = [headOf(chain, length)]
      const dropped = chain.entries.filter(([number]) => number !== a)
      const problem = a === length ? 'truncated' : 'missing'
      expect(verifyChain(dropped, FROM_THE_FIRST, signer, head).finding).toEqual({ entry: a, problem })
      const kept = chain.entries.slice(0, a - 1)
      expect(verifyChain(kept, FROM_THE_FIRST, signer, head).finding).toEqual({ entry: a, problem: 'truncated' })
      if (a === b) return
      const swapped = chain.entries.map(([number, bytes]) => {
        const other = number === a ? b : number === b ? a : number
        return [number, chain.entries[other - 1]?.[1] ?? bytes] as const
      })
      const first = { entry: Math.min(a, b), problem: 'moved' }
      expect(verifyChain(swapped, FROM_THE_FIRST, signer, head).finding).toEqual(first)
    }),
    { numRuns: 60 },
  )
})

test('[AUD-13] a chain that was computed anew without the key is noticed at its first entry, and one with it by a head', () => {
  const [own, forged, again] = [chainOf(9), chainOf(9, randomBytes(32)), chainOf(9)]
  const mixed = [...own.entries.slice(0, 4), ...forged.entries.slice(4)]
  expect(verifyChain(mixed, FROM_THE_FIRST, signer, []).finding).toEqual({ entry: 5, problem: 'altered' })
  const head = headOf(own, 6)
  expect(verifyChain(again.entries, FROM_THE_FIRST, signer, [head]).finding).toEqual({
    entry: 6,
    problem: 'not as signed',
  })
  expect(signer.isOwn({ ...head, number: 5 })).toBe(false)
  expect(new Signer(randomBytes(32)).isOwn(head)).toBe(false)
})
