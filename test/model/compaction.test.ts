import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compact } from '../../model/compaction.ts'
import type { Evidence } from '../../model/evidence.ts'
import { SelfModel } from '../../model/self-model.ts'
import { recordsOf } from '../../model/trust.ts'
import { law } from '../law.ts'
import { chapters, type Event, PEOPLE, sayable, World } from '../world/history.ts'
import { expectSame, moments } from '../world/reading.ts'
import { FUSED, sampled, schemas } from '../world/schema.ts'

const PAUSES = ['none', 'idle', 'late', 'half-life', 'era'] as const
const stories = chapters(fc.constantFrom(...PAUSES))

/** Lives through chapters and compacts after each but the last; both copies hear everything that is said later. */
function compacted(world: World, told: readonly (readonly [Event[], (typeof PAUSES)[number]])[]): SelfModel {
  let folded = new SelfModel(world.schema)
  for (const [i, [happenings, pause]] of told.entries()) {
    const known = world.evidence.length
    world.live(happenings)
    for (const piece of world.evidence.slice(known)) folded.add(piece)
    world.wait(pause)
    world.wait('tick')
    if (i < told.length - 1 || told.length === 1)
      folded = new SelfModel(world.schema, compact(folded, world.now, world.isOpen))
  }
  return folded
}

law(
  '[COM-2] compaction changes no belief at any later time, whatever is said, taken back or comes late afterwards',
  fc.tuple(schemas(), stories),
  ([sample, told]) => {
    const world = new World(sample)
    const folded = compacted(world, told)
    expectSame(world, folded, new SelfModel(world.schema, world.evidence))
  },
)

law(
  '[COM-3] compacting what was compacted, beside an uncompacted copy, changes no belief',
  fc.tuple(schemas(FUSED, 1), stories),
  ([sample, told]) => {
    const world = new World(sample)
    const folded = compacted(world, told)
    const whole = new SelfModel(world.schema, world.evidence)
    const both = new SelfModel(world.schema, [...folded.evidence, ...world.evidence])
    const again = compact(both, world.now, world.isOpen)
    expectSame(world, new SelfModel(world.schema, again), whole)
    expectSame(world, new SelfModel(world.schema, [...again, ...folded.evidence]), whole)
  },
)

law(
  '[COM-9] a late word parts what was said before and after it, compacted or not',
  fc.tuple(
    schemas(FUSED, 1),
    fc.array(fc.nat({ max: 1 }), { minLength: 2, maxLength: 6 }),
    fc.array(
      fc.record({
        who: fc.constantFrom(...PEOPLE, 'a2'),
        value: fc.nat({ max: 3 }),
        not: fc.boolean(),
        after: fc.nat({ max: 5 }),
        offset: fc.constantFrom(-1, 0, 1),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  ),
  ([sample, said, late]) => {
    const world = new World(sample)
    const field = world.names[0] as string
    const sayableHere = (index: number) => sayable(world.fieldOf(field), index)
    for (const index of said) {
      world.observe('a1', { field, value: sayableHere(index), confidence: 0.6, interaction: 'i1' })
      world.wait('idle')
      world.wait('tick')
    }
    const folded = new SelfModel(
      world.schema,
      compact(new SelfModel(world.schema, world.evidence), world.now, world.isOpen),
    )
    for (const { who, value, not, after, offset } of late) {
      const at = (world.words[after % said.length]?.at ?? world.now) + offset
      const mayDeny = who !== 'a2'
      for (const word of world.observe(who, {
        field,
        value: sayableHere(value),
        not: not && mayDeny,
        confidence: 0.95,
        at,
      }))
        folded.add(word)
    }
    expectSame(world, folded, new SelfModel(world.schema, world.evidence))
  },
)

law(
  '[COM-4] compaction changes no track record while the words last',
  fc.tuple(schemas(FUSED, 1), stories),
  ([sample, told]) => {
    const world = new World(sample)
    const folded = compacted(world, told)
    const whole = new SelfModel(world.schema, world.evidence)
    const field = world.fieldOf(world.names[0] as string)
    if (world.words.some(word => world.now - word.at > 800 * field.halfLife)) return
    for (const { name } of whole.fields) expectSameRecords(recordsIn(folded, name), recordsIn(whole, name))
  },
)

const recordsIn = (model: SelfModel, name: string) => {
  const field = model.field(name)
  return field ? recordsOf(field) : new Map()
}

function expectSameRecords(a: ReturnType<typeof recordsOf>, b: ReturnType<typeof recordsOf>): void {
  expect([...a.keys()].sort()).toEqual([...b.keys()].sort())
  for (const [agent, { claimed, delivered }] of a) {
    expect(claimed).toBeCloseTo(b.get(agent)?.claimed ?? Number.NaN, 9)
    expect(delivered).toBeCloseTo(b.get(agent)?.delivered ?? Number.NaN, 9)
  }
}

/** One agent, one value, many episodes. */
function habit(episodes: number): World {
  const world = new World(sampled([{ kind: 'choice', halfLife: '90d' }]))
  for (let i = 0; i < episodes; i++) {
    world.observe('a1', { field: 'need.issue', value: 'a', confidence: 0.6, interaction: 'i1', why: 'because' })
    world.wait('idle')
    world.wait('tick')
  }
  return world
}

const foldedOf = (world: World): Evidence[] =>
  compact(new SelfModel(world.schema, world.evidence), world.now, world.isOpen)

test("[COM-5] an agent's words for one value become one pack, and past the bound for late words one sum", () => {
  const world = habit(40)
  expect(foldedOf(world).map(piece => piece.type)).toEqual(['pack'])
  world.wait('late')
  expect(foldedOf(world).map(piece => piece.type)).toEqual(['sum'])
  expectSame(world, new SelfModel(world.schema, foldedOf(world)), new SelfModel(world.schema, world.evidence))
})

test('[COM-6] an open episode is left as it is', () => {
  const world = habit(2)
  world.observe('a1', { field: 'need.issue', value: 'b', interaction: 'i1' })
  world.observe('a1', { field: 'need.issue', value: 'c', interaction: 'i1' })
  expect(foldedOf(world).filter(piece => piece.type === 'word')).toEqual(world.words.slice(-2))
})

test("[COM-7] people's words, texts and records are never folded", () => {
  const world = new World(sampled([{ kind: 'choice' }, { kind: 'text' }, { kind: 'record' }]))
  for (let i = 0; i < 3; i++) {
    world.observe('hana', { field: 'need.issue', value: 'a', confidence: 0.9 })
    world.observe('a1', { field: 'emotion.state', value: 'a' })
    world.observe('a1', { field: 'billing.plan', value: { a: 1 } })
    world.wait('late')
    world.wait('tick')
  }
  expect(foldedOf(world)).toHaveLength(9)
  expect(foldedOf(world).every(piece => piece.type === 'word')).toBe(true)
})

test('[COM-8] what is superseded, taken back or gone is dropped', () => {
  const world = new World(sampled([{ kind: 'choice', halfLife: '1h' }]))
  world.observe('a1', { field: 'need.issue', value: 'a' })
  world.observe('a1', { field: 'need.issue', value: 'b' })
  world.happen({ type: 'retract', wait: 'none', who: 3, whose: 0, interaction: 0, source: 0, field: 0 })
  world.observe('a2', { field: 'need.issue', value: 'c' })
  world.wait('idle')
  world.wait('tick')
  expect(foldedOf(world).map(piece => piece.id)).toEqual(['r3', 'w4'])
  for (let i = 0; i < 20; i++) world.wait('era')
  expect(foldedOf(world).map(piece => piece.id)).toEqual(['r3'])
  expect(moments(world).length).toBeGreaterThan(1)
})
