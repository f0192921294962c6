import { describe, expect, test } from 'vitest'
import { type Belief, believe, probability } from '../../model/belief.ts'
import type { FieldDefinition } from '../../model/definition.ts'
import type { Word } from '../../model/evidence.ts'
import { SelfModel } from '../../model/self-model.ts'
import { AGENTS, World } from '../world/history.ts'
import { sampled } from '../world/schema.ts'

const FIELD = 'need.issue'
const HOUR = 3_600_000
const DAY = 24 * HOUR

const worldOf = (definition: FieldDefinition): World => new World(sampled([definition]))
const at = (world: World, time = world.now, task = ''): Belief | undefined => {
  const field = new SelfModel(world.schema, world.evidence).field(FIELD)
  return field && believe(field, time, task)
}

/** Says it, each time in an interaction of its own unless told otherwise. */
const say = (world: World, who: string, value: unknown, more: object = {}, served: object = {}): Word[] =>
  world.observe(who, { field: FIELD, value, interaction: `i${world.seq}`, ...more }, served)

test.each([0.95, 0.88, 0.82, 0.76])(
  '[BEL-7] one observation of %d reads back so at the time it was made',
  confidence => {
    const world = worldOf({ kind: 'choice', halfLife: '2h' })
    say(world, 'a1', 'a', { confidence })
    expect(Math.abs((at(world)?.confidence ?? 0) - confidence)).toBeLessThan(1e-12)
  },
)

test('[BEL-8] the half-life is that of evidence: .95 reads .905 after one', () => {
  const world = worldOf({ kind: 'choice', halfLife: '2h' })
  say(world, 'a1', 'a', { confidence: 0.95 })
  expect(at(world, world.now + 2 * HOUR)?.confidence).toBeCloseTo(0.9048, 4)
})

test('[BEL-9] what carries over from another task is confidence, not weight: .95 × .41 reads .39', () => {
  const world = worldOf({ kind: 'choice', binding: 'task', carry: 0.41 })
  say(world, 'a1', 'a', { confidence: 0.95, task: 't1' })
  expect(at(world, world.now, 't1')?.confidence).toBeCloseTo(0.95, 12)
  expect(at(world, world.now, 't2')?.confidence).toBeCloseTo(0.3895, 12)
})

test('[BEL-10] words of other tasks speak for a value once, by the strongest of them', () => {
  const world = worldOf({ kind: 'choice', binding: 'task', carry: 0.41, halfLife: 'never' })
  for (const [i, who] of AGENTS.entries())
    say(world, who, 'a', { confidence: 0.95 - i / 5, task: 't1', basis: 'heard' })
  say(world, 'a1', 'a', { confidence: 0.9, task: 't3' })
  expect(at(world, world.now, 't2')?.confidence).toBeCloseTo(0.3895, 12)
})

test('[BEL-11] opinions fuse as published: (.10,.30,.60) (.40,.20,.40) (.70,.10,.20) to (.651,.209,.140)', () => {
  const world = worldOf({ kind: 'flag', halfLife: 'never' })
  for (const [belief, disbelief, uncertainty] of [
    [0.1, 0.3, 0.6],
    [0.4, 0.2, 0.4],
    [0.7, 0.1, 0.2],
  ] as const) {
    // Alone with this weight a word reads b/(b+u): its part of an opinion in which nobody says the opposite.
    say(world, 'a1', true, { confidence: belief / (belief + uncertainty) })
    say(world, 'a1', false, { confidence: disbelief / (disbelief + uncertainty) })
  }
  const fused = at(world)
  expect(fused?.value).toBe(true)
  expect(fused?.confidence.toFixed(3)).toBe('0.651')
  expect(fused?.alternatives[0]?.confidence.toFixed(3)).toBe('0.209')
  expect(fused?.uncertainty.toFixed(3)).toBe('0.140')
})

test('[SET-6] forty repetitions in one episode change nothing but age', () => {
  const world = worldOf({ kind: 'choice', halfLife: '2h' })
  for (let i = 0; i < 40; i++) {
    say(world, 'a1', 'a', { confidence: 0.6, interaction: 'i1' })
    world.now += 60_000
  }
  world.now -= 60_000
  expect(at(world)).toMatchObject({ value: 'a', evidence: 1, lastSeen: world.now })
  expect(at(world)?.confidence).toBeCloseTo(0.6, 12)
})

test("[SET-7] a person's correction stands against forty inferences before it and after it, and agents can win after its hold", () => {
  const world = worldOf({ kind: 'choice', halfLife: '2h' })
  for (let i = 0; i < 40; i++) say(world, AGENTS[i % 3] as string, 'a', { confidence: 0.9 })
  expect(at(world)?.value).toBe('a')
  world.now += 1
  say(world, 'hana', 'b', { confidence: 0.6 })
  const corrected = world.now
  for (let i = 0; i < 40; i++) {
    world.now = corrected + 1 + Math.floor((i * (2 * HOUR - 2)) / 39)
    say(world, AGENTS[i % 3] as string, 'a', { confidence: 0.9 })
    expect(at(world)).toMatchObject({ value: 'b', contested: true })
  }
  expect(at(world)?.alternatives).toMatchObject([{ value: 'a', confidence: 0 }])
  expect(at(world, corrected + 5 * HOUR)?.value).toBe('b')
  world.now = corrected + 2 * HOUR
  say(world, 'a1', 'a', { confidence: 0.9 })
  expect(at(world)?.value).toBe('a')
})

test('[SET-8] what a person set aside is not derived again from the words that were there', () => {
  const world = worldOf({ kind: 'choice', halfLife: '2h' })
  for (let i = 0; i < 40; i++) say(world, AGENTS[i % 3] as string, 'a', { confidence: 0.9 })
  world.now += 1
  say(world, 'subject', 'b', { confidence: 0.6 })
  for (const later of [0, 1, 2, 10, 60])
    expect(at(world, world.now + later * DAY)).toMatchObject({ value: 'b', alternatives: [] })
})

test('[SET-9] a word that comes late but was said before the correction is set aside as well', () => {
  const world = worldOf({ kind: 'choice', halfLife: '2h' })
  const before = world.now
  world.now += HOUR
  say(world, 'hana', 'b', { confidence: 0.9 })
  world.now += 2 * DAY
  say(world, 'a1', 'a', { confidence: 0.95, at: before })
  expect(at(world)).toMatchObject({ value: 'b', contested: false })
})

test("[SET-10] a person's weak or little trusted word settles nothing", () => {
  const world = worldOf({ kind: 'choice' })
  say(world, 'a1', 'a', { confidence: 0.9 })
  world.now += 1
  say(world, 'hana', 'b', { confidence: 0.49 })
  say(world, 'hugo', 'b', { confidence: 0.8 })
  expect(at(world)?.value).toBe('a')
})

test('[BEL-12] an allergy noted two years ago still stands beside yesterday’s mood', () => {
  const world = new World(
    sampled([
      { kind: 'set', halfLife: 'never' },
      { kind: 'choice', halfLife: '2h' },
    ]),
  )
  say(world, 'a1', 'peanuts', { confidence: 0.95, basis: 'heard' })
  world.now += 729 * DAY
  world.observe('a1', { field: 'emotion.state', value: 'calm', confidence: 0.95 })
  world.now += DAY
  const model = new SelfModel(world.schema, world.evidence)
  const mood = model.field('emotion.state')
  expect(at(world)).toMatchObject({ value: ['peanuts'], status: 'fresh' })
  expect(at(world)?.confidence).toBeCloseTo(0.95, 12)
  expect(mood && believe(mood, world.now)).toMatchObject({ value: 'calm', status: 'stale' })
})

test('[ADM-1] ten agents restating what they were served do not raise a belief', () => {
  const world = worldOf({ kind: 'choice', halfLife: 'never' })
  say(world, 'a1', 'a', { confidence: 0.6 })
  for (let i = 0; i < 10; i++) say(world, `copy${i}`, 'a', { confidence: 0.6 }, { values: ['a'] })
  expect(at(world)?.confidence).toBeCloseTo(0.6, 12)
  expect(world.words.filter(word => word.echo)).toHaveLength(10)
  say(world, 'a2', 'a', { confidence: 0.6, basis: 'heard' }, { values: ['a'] })
  expect(at(world)?.confidence).toBeGreaterThan(0.6)
})

test('[ADM-2] an echo leaves its author’s own word for the value standing', () => {
  const world = worldOf({ kind: 'choice', halfLife: 'never' })
  say(world, 'a1', 'a', { confidence: 0.6, interaction: 'i1' })
  say(world, 'a1', 'a', { confidence: 0.6, interaction: 'i1' }, { values: ['a'] })
  expect(at(world)?.confidence).toBeCloseTo(0.6, 12)
})

describe('numbers', () => {
  test('[BEL-13] 10 and 1000 are not 505: numbers beyond the tolerance are alternatives', () => {
    const world = worldOf({ kind: 'number', tolerance: 1 })
    say(world, 'a1', 10, { confidence: 0.8 })
    say(world, 'a2', 1000, { confidence: 0.8 })
    expect(at(world)).toMatchObject({ value: 10, contested: false, alternatives: [{ value: 1000 }] })
    expect(at(world)?.spread).toBeGreaterThan(300)
  })

  test('[BEL-14] numbers within the tolerance support their weighted mean', () => {
    const world = worldOf({ kind: 'number', tolerance: 1 })
    say(world, 'a1', 10, { confidence: 0.6 })
    say(world, 'a1', 11, { confidence: 0.6 })
    expect(at(world)?.value).toBeCloseTo(10.5, 12)
    expect(at(world)?.confidence).toBeCloseTo(6 / 8, 12)
    expect(at(world)?.spread).toBeCloseTo(0.5, 12)
  })
})

test('[BEL-15] of a text or record the last word stands alone, the reader’s own task first', () => {
  const world = worldOf({ kind: 'text', binding: 'task', carry: 0.5 })
  say(world, 'a1', 'mine', { confidence: 0.8, task: 't1' })
  world.now += 1
  say(world, 'a1', 'newer', { confidence: 0.8, task: 't2' })
  expect(at(world, world.now, 't1')).toMatchObject({ value: 'mine' })
  expect(at(world, world.now, 't2')).toMatchObject({ value: 'newer', confidence: expect.closeTo(0.8, 9) })
  expect(at(world, world.now, 't9')).toMatchObject({ value: 'newer', confidence: expect.closeTo(0.4, 9) })
})

test('[BEL-16] each element of a set is a flag of its own, and anyone may say no', () => {
  const world = worldOf({ kind: 'set' })
  say(world, 'a1', ['x', 'y'], { confidence: 0.9 })
  say(world, 'a3', 'y', { not: true, confidence: 0.95 })
  say(world, 'a3', 'y', { not: true, confidence: 0.95 })
  expect(at(world)).toMatchObject({ value: ['x'], denied: ['y'], evidence: 4 })
  expect(at(world)?.elements?.map(element => [element.value, element.in])).toEqual([
    ['x', true],
    ['y', false],
  ])
})

test('[BEL-17] values of equal weight: the one spoken for last is believed', () => {
  const world = worldOf({ kind: 'choice', halfLife: 'never' })
  say(world, 'a1', 'a', { confidence: 0.6 })
  say(world, 'a3', 'b', { confidence: 0.6 / 0.9 })
  expect(at(world)).toMatchObject({ value: 'b', contested: true, alternatives: [{ value: 'a' }] })
  world.now += 1
  say(world, 'a2', 'c', { confidence: 1 })
  expect(at(world)?.value).toBe('b')
})

describe('contested', () => {
  const ratio = (contested: number | 'never') => {
    const world = worldOf({ kind: 'choice', halfLife: 'never', contested })
    say(world, 'a1', 'a', { confidence: 0.75 })
    say(world, 'a1', 'b', { confidence: 0.6 })
    return at(world)?.contested
  }
  test('[BEL-18] a belief is contested when another value weighs at least the ratio', () => {
    expect(ratio(0.5)).toBe(true)
    expect(ratio(0.51)).toBe(false)
    expect(ratio('never')).toBe(false)
  })
})

describe('denied', () => {
  test('[BEL-19] a denial asserts no other value and is listed until it is stale or the value is believed again', () => {
    const world = worldOf({ kind: 'choice', halfLife: '2h' })
    say(world, 'hana', 'a', { not: true, confidence: 0.9 })
    expect(at(world)).toMatchObject({ value: null, confidence: 0, uncertainty: 1, denied: ['a'], status: 'fresh' })
    expect(at(world, world.now + 2 * DAY)).toBeUndefined()
    world.now += 2 * HOUR
    say(world, 'a1', 'a', { confidence: 0.9 })
    expect(at(world)).toMatchObject({ value: 'a', denied: [] })
  })

  test('[BEL-20] what agents say against a denial is held and shown', () => {
    const world = worldOf({ kind: 'choice', halfLife: '2h' })
    say(world, 'hana', 'a', { not: true, confidence: 0.9 })
    world.now += 1
    say(world, 'a1', 'a', { confidence: 0.5 })
    expect(at(world)).toMatchObject({ value: null, contested: true, denied: ['a'], evidence: 2 })
    expect(at(world)?.alternatives).toEqual([{ value: 'a', confidence: 0, held: expect.closeTo(0.5, 9) }])
  })

  test('[BEL-21] to deny a flag is to say the opposite', () => {
    const world = worldOf({ kind: 'flag' })
    say(world, 'a1', true, { not: true, confidence: 0.8 })
    expect(at(world)).toMatchObject({ value: false, denied: [] })
  })
})

test('[BEL-22] status is confidence now ÷ when last seen: fresh from .9, fading from .5, else stale', () => {
  const world = worldOf({ kind: 'choice', halfLife: '1d' })
  say(world, 'a1', 'a', { confidence: 0.5 })
  // Alone, W = R = 2: the quotient is 2g/(1+g), so .9 is reached at g = 9/11 and .5 at g = 1/3.
  const ms = (g: number) => -Math.log2(g) * DAY
  expect(at(world)?.status).toBe('fresh')
  expect(at(world, world.now + ms(9 / 11) - 10)?.status).toBe('fresh')
  expect(at(world, world.now + ms(9 / 11) + 10)?.status).toBe('fading')
  expect(at(world, world.now + ms(1 / 3) - 10)?.status).toBe('fading')
  expect(at(world, world.now + ms(1 / 3) + 10)?.status).toBe('stale')
})

test('[BEL-23] ignorance is shared out evenly for calibration', () => {
  expect(probability({ confidence: 0.6, uncertainty: 0.4 }, 4)).toBeCloseTo(0.7, 12)
  expect(probability({ confidence: 0.6, uncertainty: 0.4 }, Number.POSITIVE_INFINITY)).toBe(0.6)
})

describe('found by the laws', () => {
  test('[SET-11] a word held long past its half-life is not made to vanish by what is said against it', () => {
    const world = worldOf({ kind: 'choice', halfLife: '1h', hold: '30d' })
    say(world, 'hana', 'b', { confidence: 0.9 })
    world.now += 8 * DAY
    say(world, 'a1', 'a', { confidence: 0.9 })
    expect(at(world)).toMatchObject({ value: 'b', status: 'stale', contested: true })
  })

  test('[BEL-24] a text without weight does not hide the one before it', () => {
    const world = worldOf({ kind: 'text', binding: 'task', carry: 0 })
    say(world, 'a1', 'a', { confidence: 0.9 })
    world.now += 1
    say(world, 'a1', 'a', { confidence: 0.9, task: 't1' })
    expect(at(world)).toMatchObject({ value: 'a', confidence: expect.closeTo(0.9, 6) })
  })

  test('[BEL-26] once a task’s own text is gone, another task’s does not rise in its place', () => {
    const world = worldOf({ kind: 'text', binding: 'task', carry: 1, halfLife: '1h' })
    say(world, 'a1', 'a', { confidence: 0.9, task: 't1' })
    world.now += 37 * DAY
    say(world, 'a1', 'a', { confidence: 0.9, task: 't2' })
    expect(at(world, world.now, 't1')?.confidence).toBeLessThan(1e-200)
    expect(at(world, world.now + 4 * DAY, 't1')).toBeUndefined()
    expect(at(world, world.now + 4 * DAY, 't2')?.value).toBe('a')
  })

  test('[BEL-25] an old element does not fade because another is spoken of', () => {
    const world = worldOf({ kind: 'set', halfLife: '1h' })
    say(world, 'a1', 'x', { confidence: 0.9 })
    world.now += 6 * DAY
    say(world, 'a1', 'y', { confidence: 0.9 })
    expect(at(world)?.value).toEqual(['x', 'y'])
  })

  test('[SET-12] an element with a line break is no element of a task', () => {
    const world = worldOf({ kind: 'set', binding: 'task' })
    say(world, 'a1', 't1\nx', { confidence: 0.9 })
    world.now += 1
    say(world, 'hana', 'x', { not: true, confidence: 0.9, task: 't1' })
    expect(at(world)?.value).toEqual(['t1\nx'])
  })
})
