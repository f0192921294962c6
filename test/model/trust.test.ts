import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FieldDefinition } from '../../model/definition.ts'
import { explain } from '../../model/explanation.ts'
import { SelfModel } from '../../model/self-model.ts'
import { addRecords, NO_RECORD, recordsOf, trustOf } from '../../model/trust.ts'
import { law } from '../law.ts'
import { events, World } from '../world/history.ts'
import { sampled, schemas } from '../world/schema.ts'

const FOUR: FieldDefinition = { kind: 'choice', values: ['a', 'b', 'c', 'd'] }

/** An agent speaks, each time in a new interaction, and a person then says what is so. */
function judged(
  definition: FieldDefinition,
  rounds: readonly (readonly [said: unknown, isSo: unknown, confidence: number])[],
) {
  const world = new World(sampled([definition]))
  let record = NO_RECORD
  for (const [i, [said, isSo, confidence]] of rounds.entries()) {
    const one = new World(sampled([definition]))
    one.observe('a1', { field: 'need.issue', value: said, confidence, interaction: `i${i}` })
    one.wait('tick')
    one.observe('hana', { field: 'need.issue', value: isSo, confidence: 1 })
    const field = new SelfModel(world.schema, one.evidence).field('need.issue')
    record = addRecords(record, (field && recordsOf(field).get('a1')) ?? NO_RECORD)
  }
  return record
}

test('[TRU-1] trust is what was delivered ÷ what was claimed, from a start worth four words', () => {
  expect(trustOf(NO_RECORD)).toBe(1)
  expect(trustOf(NO_RECORD, 0.8)).toBe(0.8)
  const record = judged(FOUR, [
    ['a', 'a', 0.9],
    ['b', 'b', 0.9],
    ['c', 'd', 0.6],
  ])
  expect(record.claimed).toBeCloseTo(2.4, 12)
  expect(record.delivered).toBeCloseTo(2 - 1 / 3, 12)
  expect(trustOf(record)).toBeCloseTo((4 + 2 - 1 / 3) / (4 + 2.4), 12)
})

test('[TRU-2] an agent that guesses comes to no trust, one that is as sure as it is right to full trust', () => {
  const guesses = Array.from({ length: 4_000 }, (_, i) => ['a', 'abcd'[i % 4], 0.9] as const)
  expect(trustOf(judged(FOUR, guesses))).toBeLessThan(0.002)
  const sure = Array.from({ length: 1_000 }, () => ['a', 'a', 0.95] as const)
  expect(trustOf(judged(FOUR, sure))).toBe(1)
  const overconfident = Array.from({ length: 4_000 }, (_, i) => ['a', i % 10 < 7 ? 'a' : 'b', 0.9] as const)
  expect(trustOf(judged(FOUR, overconfident))).toBeCloseTo((0.7 - 0.3 / 3) / 0.9, 2)
})

test('[TRU-3] a wrong word among open values costs nothing beyond what it claimed', () => {
  const record = judged({ kind: 'choice' }, [['a', 'b', 0.8]])
  expect(record).toEqual({ claimed: 0.8, delivered: 0 })
})

test('[TRU-4] a denial proves only the denied value wrong, and nobody is judged by themselves', () => {
  const world = new World(sampled([FOUR]))
  world.observe('a1', { field: 'need.issue', value: 'a', confidence: 0.6 })
  world.observe('a2', { field: 'need.issue', value: 'b', confidence: 0.6 })
  world.observe('hugo', { field: 'need.issue', value: 'c', confidence: 0.5 })
  world.wait('tick')
  world.observe('hana', { field: 'need.issue', value: 'a', not: true, confidence: 1 })
  world.observe('hugo', { field: 'need.issue', value: 'c', confidence: 0.5, interaction: 'i2' })
  const field = new SelfModel(world.schema, world.evidence).field('need.issue')
  expect([...(field ? recordsOf(field) : [])]).toEqual([['a1', { claimed: 0.6, delivered: -1 / 3 }]])
})

law(
  '[TRU-5] echoes, and what is superseded or taken back, are on no record',
  fc.tuple(schemas(['choice', 'flag', 'set', 'number'], 1), events()),
  ([sample, happenings]) => {
    const world = new World(sample).live(happenings)
    const name = world.names[0] as string
    const field = new SelfModel(world.schema, world.evidence).field(name)
    if (!field) return
    const gone = explain(field, world.now).words.filter(({ standing }) =>
      ['echo', 'superseded', 'retracted'].includes(standing),
    )
    const ids = new Set(gone.map(({ evidence }) => evidence.id))
    const kept = new SelfModel(
      world.schema,
      world.evidence.filter(({ id }) => !ids.has(id)),
    ).field(name)
    expect(kept ? recordsOf(kept) : new Map()).toEqual(recordsOf(field))
  },
)
