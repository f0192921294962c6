import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Backoff, boundOf } from '../../client/backoff.ts'
import { law } from '../law.ts'

const CAP = 30_000
const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

law('[SDK-1] every wait lies below its bound, and no bound above the cap', fc.array(draw, { maxLength: 60 }), draws => {
  const left = [...draws]
  const backoff = new Backoff(() => left.shift() ?? 0)
  for (const attempt of draws.keys()) {
    const wait = backoff.next()
    expect(wait).toBeGreaterThanOrEqual(0)
    expect(wait).toBeLessThan(boundOf(attempt))
    expect(boundOf(attempt)).toBeLessThanOrEqual(CAP)
  }
})

law('[SDK-1] the wait is the same share of its bound as was drawn', fc.tuple(draw, fc.nat(40)), ([drawn, attempts]) => {
  const backoff = new Backoff(() => drawn)
  for (let attempt = 0; attempt < attempts; attempt++) expect(backoff.next()).toBe(Math.floor(drawn * boundOf(attempt)))
})

test('[SDK-1] the bound doubles until the cap, and begins anew after a reset', () => {
  const backoff = new Backoff(() => 0.999_999)
  const waits = Array.from({ length: 9 }, () => backoff.next())
  expect(waits).toEqual([249, 499, 999, 1_999, 3_999, 7_999, 15_999, 29_999, 29_999])
  backoff.reset()
  expect(backoff.next()).toBe(249)
})
