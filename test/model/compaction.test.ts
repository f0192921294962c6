import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { believe } from '../../model/belief.ts'
import { compact } from '../../model/compaction.ts'
import type { FieldDefinition } from '../../model/definition.ts'
import type { Evidence } from '../../model/evidence.ts'
import { SelfModel } from '../../model/self-model.ts'
import { recordsOf } from '../../model/trust.ts'
import { law } from '../law.ts'
import { AGENTS, chapters, type Event, PEOPLE, sayable, World } from '../world/history.ts'
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

/** A word at a moment around the first person's word or the end of its hold. */
const around = fc.record({
  value: fc.nat({ max: 1 }),
  not: fc.boolean(),
  ofHold: fc.boolean(),
  offset: fc.constantFrom(-1, 0, 1),
})
const byPerson = fc.record({ who: fc.nat({ max: PEOPLE.length - 1 }), word: around })
type Around = typeof around extends fc.Arbitrary<infer T> ? T : never

/** What an agent and people said around one moment, each word in an episode of its own. */
function parted(world: World, said: readonly Around[], people: readonly { who: number; word: Around }[]): void {
  const field = world.fieldOf(world.names[0] as string)
  const hold = world.spanOf('hold', field)
  const turns = [...people, ...said.map(word => ({ who: undefined, word }))]
    .map(({ who, word }) => ({ who, word, at: world.now + 1 + (word.ofHold ? hold : 0) + word.offset }))
    .sort((a, b) => a.at - b.at)
  for (const { who, word, at } of turns) {
    world.wait('after idle')
    world.now = Math.max(world.now, at)
    const value = sayable(field, word.value)
    const speaker = who === undefined ? 'a1' : (PEOPLE[who] as string)
    const not = word.not && (who !== undefined || field.kind === 'set')
    world.observe(speaker, { field: field.name, value, not, confidence: 0.9, at, interaction: 'i1', basis: 'heard' })
  }
}

law(
  "[COM-10] a person's word parts what was said before it, within its hold and after it, also once it is taken back",
  fc.tuple(
    schemas(FUSED, 1),
    fc.array(around, { minLength: 2, maxLength: 6 }),
    fc.array(byPerson, { minLength: 1, maxLength: 2 }),
    fc.array(fc.nat({ max: PEOPLE.length - 1 }), { maxLength: 2 }),
    fc.array(byPerson, { maxLength: 1 }),
  ),
  ([sample, said, people, retracted, late]) => {
    const world = new World(sample)
    parted(world, said, people)
    world.wait('late')
    world.wait('tick')
    const folded = new SelfModel(world.schema, foldedOf(world))
    const known = world.evidence.length
    for (const who of retracted) {
      const person = AGENTS.length + who
      world.happen({ type: 'retract', wait: 'none', who: person, whose: person, interaction: 0, source: 0, field: 0 })
    }
    parted(world, [], late)
    for (const piece of world.evidence.slice(known)) folded.add(piece)
    const whole = new SelfModel(world.schema, world.evidence)
    expectSame(world, folded, whole)
    for (const { name } of whole.fields) expectSameRecords(recordsIn(folded, name), recordsIn(whole, name))
    const again = compact(folded, world.now, world.isOpen)
    expectSame(world, new SelfModel(world.schema, [...again, ...world.evidence]), whole)
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

describe('found by the laws', () => {
  const FIELD = 'need.issue'
  const HOUR = 3_600_000
  const worldOf = (definition: FieldDefinition): World => new World(sampled([definition]))

  /** Says it, in the same interaction and an episode of its own unless `minutes` are few. */
  const say = (world: World, value: string, { minutes = 31, confidence = 0.6, trust = 1, served = {} } = {}): void => {
    const observation = { field: FIELD, value, confidence, interaction: 'i1' }
    world.observe('a1', observation, served, world.speaker('a1', trust))
    world.now += minutes * 60_000
  }

  /** Folded alone, and beside the words it was folded from. */
  function expectFoldedSame(world: World, types: readonly Evidence['type'][]): void {
    const whole = new SelfModel(world.schema, world.evidence)
    const folded = foldedOf(world)
    expect(folded.map(piece => piece.type)).toEqual(types)
    expectSame(world, new SelfModel(world.schema, folded), whole)
    expectSame(world, new SelfModel(world.schema, [...folded, ...world.evidence]), whole)
  }

  test('[COM-1] an echo after the last word of a sum lets no copy of the words before it count again', () => {
    const world = worldOf({ kind: 'choice', halfLife: '90d' })
    say(world, 'a')
    say(world, 'a', { minutes: 1 })
    say(world, 'a', { served: { values: ['a'] } })
    world.wait('late')
    expectFoldedSame(world, ['sum'])
  })

  test('[COM-2] words of an agent without any trust are not counted as evidence in a sum', () => {
    const world = worldOf({ kind: 'choice', halfLife: '90d' })
    for (const trust of [1, 0, 1, 0]) say(world, 'a', { trust })
    world.wait('late')
    expectFoldedSame(world, ['sum', 'sum'])
  })

  test('[COM-2] words held 900 half-lives after what they contest weigh the same in a sum', () => {
    const world = worldOf({ kind: 'choice', halfLife: '2h', hold: 'never' })
    const era = 64 * 2 * HOUR
    world.now = Math.ceil(world.now / era) * era
    world.observe('hana', { field: FIELD, value: 'b', confidence: 0.9 })
    world.now += 1802 * HOUR
    say(world, 'a')
    world.now += 8 * HOUR
    say(world, 'a')
    world.now += 74 * HOUR
    expectFoldedSame(world, ['word', 'sum'])
  })

  test('[COM-2] a text that is gone hides no word that is held, before it is dropped and after', () => {
    const world = worldOf({ kind: 'text', halfLife: '1h', hold: 'never' })
    world.observe('hana', { field: FIELD, value: 'b', not: true, confidence: 0.9 })
    say(world, 'c')
    world.now += 1200 * HOUR
    say(world, 'b')
    expectFoldedSame(world, ['word', 'word'])
  })

  test('[COM-2] the last bit of a sum does not decide whether a belief is fresh', () => {
    const world = worldOf({ kind: 'choice', halfLife: '1h' })
    for (const confidence of [0.95, 0.6, 0.6, 0.6, 0.6])
      say(world, world.seq < 4 ? 'a' : 'b', { confidence, minutes: 60 })
    const then = world.now - HOUR
    world.wait('late')
    const statuses = [world.evidence, foldedOf(world)].map(evidence => {
      const field = new SelfModel(world.schema, evidence).field(FIELD)
      return field && believe(field, then)?.status
    })
    expect(statuses).toEqual(['fresh', 'fresh'])
  })
})
