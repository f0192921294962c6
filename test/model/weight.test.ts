import fc from 'fast-check'
import { expect } from 'vitest'
import { type Belief, believe } from '../../model/belief.ts'
import { SelfModel } from '../../model/self-model.ts'
import { law } from '../law.ts'
import { AGENTS, events, sayable, TASKS, World } from '../world/history.ts'
import { moments, read } from '../world/reading.ts'
import { KINDS, sampled, schemas } from '../world/schema.ts'

const FIELD = 'need.issue'
const confidence = fc.integer({ min: 1, max: 99 }).map(percent => percent / 100)

const at = (world: World, time: number, task = ''): Belief | undefined => {
  const field = new SelfModel(world.schema, world.evidence).field(FIELD)
  return field && believe(field, time, task)
}

law(
  '[BEL-27] a word alone reads its confidence, and after n half-lives that of 2^-n of its weight',
  fc.tuple(schemas(KINDS, 1), confidence, fc.nat({ max: 3 }), fc.double({ min: 0, max: 40, noNaN: true })),
  ([sample, c, value, halfLives]) => {
    const world = new World(sample)
    const field = world.fieldOf(FIELD)
    world.observe('a1', { field: FIELD, value: sayable(field, value), confidence: c })
    const isFading = Number.isFinite(field.halfLife)
    const weight = ((2 * c) / (1 - c)) * (isFading ? 2 ** -halfLives : 1)
    const time = world.now + halfLives * (isFading ? field.halfLife : 1e9)
    expect(at(world, time)?.confidence).toBeCloseTo(weight / (2 + weight), 9)
    expect(at(world, world.now)?.confidence).toBeCloseTo(c, 12)
  },
)

law(
  '[BEL-28] a word of another task alone reads its confidence × carry',
  fc.tuple(
    confidence,
    fc.constantFrom('choice' as const, 'flag' as const, 'number' as const, 'text' as const),
    fc.integer({ min: 1, max: 100 }),
  ),
  ([c, kind, percent]) => {
    const world = new World(sampled([{ kind, binding: 'task', carry: percent / 100 }]))
    world.observe('a1', { field: FIELD, value: sayable(world.fieldOf(FIELD), 0), confidence: c, task: 't1' })
    expect(at(world, world.now, 't2')?.confidence).toBeCloseTo((c * percent) / 100, 12)
  },
)

law(
  '[BEL-10] words of other tasks speak for a value once, by the strongest of them, however many there are',
  fc.tuple(fc.array(confidence, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 100 })),
  ([confidences, percent]) => {
    const world = new World(sampled([{ kind: 'choice', binding: 'task', carry: percent / 100 }]))
    for (const [i, c] of confidences.entries())
      world.observe('a1', { field: FIELD, value: 'a', confidence: c, task: i % 2 ? 't1' : 't3', interaction: `i${i}` })
    expect(at(world, world.now, 't2')?.confidence).toBeCloseTo((Math.max(...confidences) * percent) / 100, 12)
  },
)

law(
  '[BEL-29] of values for which the same was said, the one spoken for last is believed',
  fc.tuple(
    fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 2 }),
    fc.array(confidence, { minLength: 1, maxLength: 6 }),
    fc.constantFrom('never', '2h'),
    fc.nat({ max: 5 }),
  ),
  ([values, confidences, halfLife, turn]) => {
    const world = new World(sampled([{ kind: 'choice', halfLife }]))
    for (const [i, value] of values.entries()) {
      const turned = confidences.map((_, j) => confidences[(j + i * turn) % confidences.length])
      for (const [j, c] of turned.entries())
        world.observe('a1', { field: FIELD, value, confidence: c, interaction: `i${i}-${j}` })
    }
    expect(at(world, world.now)?.value).toBe(values.at(-1))
    expect(at(world, world.now)?.alternatives).toHaveLength(values.length - 1)
  },
)

law(
  '[ADM-13] an echo in a register of its own changes nothing',
  fc.tuple(schemas(), events(), fc.constantFrom(...AGENTS), fc.nat({ max: 3 }), fc.constantFrom(...TASKS)),
  ([sample, before, who, index, task]) => {
    const world = new World(sample).live(before)
    const value = sayable(world.fieldOf(FIELD), index)
    const known = [...world.evidence]
    world.observe(who, { field: FIELD, value, task, interaction: 'echo' }, { values: [value] })
    const sees = (evidence: World['evidence']) =>
      moments(world).flatMap(time =>
        TASKS.map(reader => [...read(new SelfModel(world.schema, evidence), time, reader)]),
      )
    expect(sees(world.evidence)).toEqual(sees(known))
  },
)
