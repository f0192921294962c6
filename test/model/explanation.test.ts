import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compact } from '../../model/compaction.ts'
import { type Explained, explain } from '../../model/explanation.ts'
import { SelfModel } from '../../model/self-model.ts'
import { keyOf } from '../../model/value.ts'
import { law } from '../law.ts'
import { events, TASKS, World } from '../world/history.ts'
import { moments } from '../world/reading.ts'
import { sampled, schemas } from '../world/schema.ts'

const total = (words: readonly Explained[]): number => words.reduce((sum, word) => sum + word.share, 0)

law(
  '[EXP-1] the shares of the words for a value add up to its confidence',
  fc.tuple(schemas(), events(), fc.boolean()),
  ([sample, happenings, folds]) => {
    const world = new World(sample).live(happenings)
    const whole = new SelfModel(world.schema, world.evidence)
    world.wait('late')
    const model = folds ? new SelfModel(world.schema, compact(whole, world.now, world.isOpen)) : whole
    for (const field of model.fields)
      for (const time of moments(world))
        for (const task of TASKS) {
          const { belief, words } = explain(field, time, task)
          if (!belief) expect(total(words)).toBe(0)
          else if (belief.elements)
            for (const element of belief.elements)
              expect(total(words.filter(word => word.value === element.value && word.not !== element.in))).toBeCloseTo(
                element.confidence,
                9,
              )
          else if (field.field.kind === 'number') expect(total(words)).toBeCloseTo(1 - belief.uncertainty, 9)
          else
            for (const { value, confidence } of [belief, ...belief.alternatives])
              expect(total(words.filter(word => !word.not && keyOf(word.value) === keyOf(value)))).toBeCloseTo(
                confidence,
                9,
              )
        }
  },
)

law(
  '[EXP-2] an explanation has a line for each word of the field, in order, each with a reason',
  fc.tuple(schemas(), events()),
  ([sample, happenings]) => {
    const world = new World(sample).live(happenings)
    for (const field of new SelfModel(world.schema, world.evidence).fields) {
      const { words } = explain(field, world.now)
      const said = world.words.filter(word => word.field === field.name)
      expect(words.map(word => word.evidence.id)).toEqual(
        said.toSorted((a, b) => a.at - b.at || a.seq - b.seq || (a.id < b.id ? -1 : 1)).map(word => word.id),
      )
      for (const word of words) {
        expect(word.reason).not.toBe('')
        expect(word.share >= 0 && word.share < 1).toBe(true)
        if (word.standing !== 'counted') expect(word.share).toBe(0)
      }
    }
  },
)

/** Standing, reason and who is responsible, by id. */
function standingsOf(world: World): Record<string, [standing: string, reason: string, by: string | undefined]> {
  const field = new SelfModel(world.schema, world.evidence).field('need.issue')
  const words = field ? explain(field, world.now, 't1').words : []
  return Object.fromEntries(words.map(word => [word.evidence.id, [word.standing, word.reason, word.by]]))
}

test('[EXP-3] each standing has its reason, and names who is responsible', () => {
  const world = new World(sampled([{ kind: 'choice', halfLife: '1d' }]))
  const say = (who: string, value: string, more: object = {}, served: object = {}) =>
    world.observe(who, { field: 'need.issue', value, ...more }, served)[0]?.id as string
  const before = say('a1', 'a')
  world.wait('tick')
  const person = say('hana', 'b', { basis: 'heard' })
  world.wait('tick')
  const held = say('a2', 'c')
  const echo = say('a3', 'b', {}, { values: ['b'] })
  const agrees = say('a1', 'b', { interaction: 'i1' })
  const first = say('a1', 'a', { interaction: 'i2' })
  const again = say('a1', 'b', { interaction: 'i2' })
  const wrong = say('a1', 'b', { source: 's1', interaction: 'i3' })
  const denial = say('hugo', 'c', { not: true, confidence: 0.9 })
  const doubt = say('hugo', 'a', { not: true, confidence: 0.1 })
  world.happen({ type: 'retract', wait: 'none', who: 0, whose: 0, interaction: 0, source: 1, field: 0 })
  expect(standingsOf(world)).toEqual({
    [before]: ['void', 'A person said otherwise later.', person],
    [person]: ['counted', 'A person said so.', undefined],
    [held]: ['void', 'A person said otherwise later.', denial],
    [echo]: ['echo', 'The agent restated what it had been served, which adds nothing.', undefined],
    [agrees]: ['counted', 'It counts by its confidence, trust and age.', undefined],
    [first]: ['superseded', 'The same agent said something later in the same episode, or it is part of a sum.', again],
    [again]: ['counted', 'It counts by its confidence, trust and age.', undefined],
    [wrong]: ['retracted', 'It was taken back.', 'r11'],
    [denial]: ['counted', 'A person denied the value.', undefined],
    [doubt]: ['counted', 'A doubt too weak to settle anything.', undefined],
  })
  world.wait('tick')
  const late = say('a2', 'c')
  expect(standingsOf(world)[late]).toEqual([
    'held',
    "It disagrees with a person's word that still holds: it is shown beside it and not counted.",
    person,
  ])
})

test('[EXP-4] a word that a stronger one of another task speaks for counts and has no share', () => {
  const world = new World(sampled([{ kind: 'choice', binding: 'task' }]))
  const [weak] = world.observe('a1', {
    field: 'need.issue',
    value: 'a',
    confidence: 0.5,
    task: 't2',
    interaction: 'i1',
  })
  world.observe('a2', { field: 'need.issue', value: 'a', confidence: 0.9, task: 't2' })
  const field = new SelfModel(world.schema, world.evidence).field('need.issue')
  const word = field && explain(field, world.now, 't1').words.find(({ evidence }) => evidence.id === weak?.id)
  expect(word).toMatchObject({
    standing: 'counted',
    share: 0,
    reason: 'It has faded beside newer words, or a stronger word of another task speaks for it.',
  })
})
