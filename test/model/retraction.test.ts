import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Retraction, Word } from '../../model/evidence.ts'
import { explain } from '../../model/explanation.ts'
import { SelfModel } from '../../model/self-model.ts'
import { law } from '../law.ts'
import { events, retracts, TASKS, World } from '../world/history.ts'
import { moments, read } from '../world/reading.ts'
import { sampled, schemas } from '../world/schema.ts'

const isTaken = (retraction: Retraction, word: Word): boolean =>
  word.at <= retraction.received &&
  [
    retraction.agent ?? word.agent,
    retraction.interaction ?? word.interaction,
    retraction.field ?? word.field,
  ].join() === [word.agent, word.interaction, word.field].join() &&
  (retraction.source === undefined || retraction.source === word.source)

law(
  '[EVI-5] a retraction takes back what matches all its keys and was said by then, and nothing else',
  fc.tuple(schemas(), events(), retracts, events(4)),
  ([sample, before, retract, after]) => {
    const world = new World(sample).live(before.filter(({ type }) => type === 'say'))
    const [retraction] = world.happen(retract)
    if (retraction?.type !== 'retraction') return
    world.live(after.filter(({ type }) => type === 'say'))
    const whole = new SelfModel(world.schema, world.evidence)
    // What a register held before does not return, so that what is superseded is left out on both sides.
    const superseded = new Set(
      [...whole.fields]
        .flatMap(field => explain(field, world.now).words)
        .filter(({ standing }) => standing === 'superseded')
        .map(({ evidence }) => evidence.id),
    )
    const never = world.words.filter(word => !superseded.has(word.id) && !isTaken(retraction, word))
    for (const time of moments(world))
      for (const task of TASKS)
        expect([...read(whole, time, task)]).toEqual([...read(new SelfModel(world.schema, never), time, task)])
  },
)

test('[EVI-6] what a word superseded does not return when that word is taken back', () => {
  const world = new World(sampled([{ kind: 'choice' }]))
  world.observe('a1', { field: 'need.issue', value: 'a' })
  world.observe('a1', { field: 'need.issue', value: 'b', source: 's1' })
  world.happen({ type: 'retract', wait: 'none', who: 0, whose: 0, interaction: 0, source: 1, field: 0 })
  expect(read(new SelfModel(world.schema, world.evidence), world.now).size).toBe(0)
})

test('[EVI-7] a retraction reaches no field that its author could not write', () => {
  const world = new World(sampled([{ kind: 'choice' }, { kind: 'choice' }]))
  world.observe('a1', { field: 'need.issue', value: 'a', source: 's1' })
  world.observe('a1', { field: 'emotion.state', value: 'a', source: 's1' })
  const reaching: Retraction = {
    type: 'retraction',
    id: 'r',
    by: 'hana',
    role: 'human',
    source: 's1',
    within: [['**'], ['need.*']],
    received: world.now,
    seq: 9,
  }
  const model = new SelfModel(world.schema, [...world.evidence, reaching])
  expect([...read(model, world.now).keys()]).toEqual(['emotion.state'])
})
