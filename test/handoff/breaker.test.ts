import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answered, type Breaker, CLOSED, exhausted, passing } from '../../model/handoff/breaker.ts'
import { Breakers } from '../../server/handoff/breakers.ts'
import type { HandoffHappening } from '../../server/handoff/happening.ts'
import { HeldOffers } from '../../server/handoff/held-offers.ts'
import { law } from '../law.ts'
import { fresh } from './acts.ts'

const POLICY = { failures: 3, open: 1_000 }
const LONGEST = 15 * 60_000

const happening = fc.oneof(
  fc.record({ what: fc.constant('exhausted' as const), id: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ what: fc.constant('answered' as const), id: fc.constant('') }),
  fc.record({ what: fc.constant('passing' as const), id: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ what: fc.constant('passing' as const), id: fc.constantFrom('a', 'b', 'c') }),
)
const course = fc.array(
  fc.tuple(fc.constantFrom(0, 1, 400, 1_000, 70_000), fc.double({ min: 0, max: 0.999, noNaN: true }), happening),
  { maxLength: 80 },
)

law(
  '[FLEET-14] three exhausted deliveries in a row open a breaker, nothing passes while it is open, one probe at a time while it is half-open, and each wait is bounded',
  course,
  steps => {
    let [breaker, now, inRow]: [Breaker, number, number] = [CLOSED, 0, 0]
    let probe: string | undefined
    for (const [wait, chance, { what, id }] of steps) {
      now += wait
      const before = breaker
      if (what === 'answered') {
        breaker = answered()
        expect(breaker).toEqual(CLOSED)
        ;[inRow, probe] = [0, undefined]
      } else if (what === 'exhausted') {
        breaker = exhausted(breaker, id, now, chance, POLICY)
        if (before.name === 'closed') expect(breaker.name).toBe(++inRow === 3 ? 'open' : 'closed')
        if (before.name === 'half-open') expect(breaker.name).toBe(id === probe ? 'open' : 'half-open')
        if (breaker.name === 'open' && before.name !== 'open') {
          const least = Math.min(LONGEST, POLICY.open * 2 ** (breaker.trips - 1)) / 2
          expect(breaker.until - now).toBeGreaterThanOrEqual(least)
          expect(breaker.until - now).toBeLessThanOrEqual(LONGEST)
          ;[probe, inRow] = [undefined, 0]
        }
      } else {
        const { next, passes } = passing(breaker, id, now)
        if (before.name === 'closed') expect(passes).toBe(true)
        if (before.name === 'open') expect(passes).toBe(before.until <= now)
        if (before.name === 'half-open' && next.name === 'half-open' && probe !== undefined && probe !== id && passes)
          expect(before.probe?.until).toBeLessThanOrEqual(now)
        if (passes && next.name === 'half-open') probe = id
        breaker = next
      }
    }
  },
)

const TARGET = { role: 'billing' }
const told = (name: 'exhausted' | 'accepted', handoff: string, at: number): HandoffHappening => ({
  ...{ name, handoff, at, to: TARGET, user: 'u', work: 'w', from: null, hop: 1 },
})

test('[FLEET-15] a thousand offers that are held are delivered some at a time once someone answers, and one at a time until then', () => {
  const heard: string[] = []
  const breakers = new Breakers(POLICY, ({ name }) => heard.push(name))
  const held = new HeldOffers()
  const named = (i: number, attempt: number) => ({
    ...fresh,
    id: `h_${i}`,
    targets: [TARGET],
    state: { name: 'offered' as const, target: 0, attempt, again: 0 },
  })
  for (const i of [1, 2, 3]) breakers.heard(told('exhausted', `x${i}`, 0), 0.5)
  for (let i = 0; i < 1_000; i++) held.note(named(i, 0))
  expect(held.due(breakers, 5, 1)).toEqual([])
  breakers.tick(2_000)
  expect(held.due(breakers, 5, 2_000)).toEqual(['h_0'])
  held.note(named(0, 1))
  expect(held.due(breakers, 5, 3_000)).toEqual([])
  breakers.heard(told('accepted', 'h_0', 4_000), 0.5)
  const delivered: string[] = []
  for (let look = 0; look < 200; look++) {
    const due = held.due(breakers, 5, 5_000 + look)
    expect(due.length).toBeLessThanOrEqual(5)
    for (const id of due) held.note(named(Number(id.slice(2)), 1))
    delivered.push(...due)
  }
  expect(new Set(delivered).size).toBe(999)
  expect(delivered).toHaveLength(999)
  expect(heard).toEqual(['breakerOpened', 'breakerHalfOpen', 'breakerClosed'])
})
