import fc from 'fast-check'
import { expect } from 'vitest'
import { believe } from '../../model/belief.ts'
import { compact } from '../../model/compaction.ts'
import type { Evidence } from '../../model/evidence.ts'
import { SelfModel } from '../../model/self-model.ts'
import { spent } from '../../model/spent.ts'
import { law } from '../law.ts'
import { events, TASKS, World } from '../world/history.ts'
import { expectSame, expectSameBelief, moments } from '../world/reading.ts'
import { schemas } from '../world/schema.ts'

const PAUSES = ['none', 'tick', 'idle', 'late', 'half-life', 'era'] as const
const chapters = fc.array(fc.tuple(events(9), fc.constantFrom(...PAUSES), fc.boolean()), { minLength: 1, maxLength: 4 })

const spentIn = (model: SelfModel): Set<string> => new Set([...model.fields].flatMap(field => [...spent(field)]))

const without = (model: SelfModel, gone: ReadonlySet<string>): Evidence[] =>
  [...model.evidence].filter(({ id }) => !gone.has(id))

/** Lives through chapters as a store does, compacting after some, and shows the model after every word. */
function lived(
  world: World,
  told: typeof chapters extends fc.Arbitrary<infer T> ? T : never,
  look: (model: SelfModel, isFolded: boolean) => void,
): SelfModel {
  let model = new SelfModel(world.schema)
  for (const [happenings, pause, folds] of told) {
    for (const event of happenings) {
      for (const piece of world.happen(event)) model.add(piece)
      look(model, false)
    }
    world.wait(pause)
    if (!folds) continue
    model = new SelfModel(world.schema, compact(model, world.now, world.isOpen))
    look(model, true)
  }
  return model
}

law(
  '[REP-53] beliefs are the same without the words that are spent, at any later time and for any task',
  fc.tuple(schemas(), chapters),
  ([sample, told]) => {
    const world = new World(sample)
    const model = lived(world, told, () => {})
    expectSame(world, new SelfModel(world.schema, without(model, spentIn(model))), model)
  },
)

law(
  '[REP-54] what is spent stays so, whatever is said, taken back or folded afterwards',
  fc.tuple(schemas(), chapters),
  ([sample, told]) => {
    const world = new World(sample)
    let before = new Set<string>()
    lived(world, told, (model, isFolded) => {
      const now = spentIn(model)
      const returned = [...before].filter(id => !now.has(id) && !(isFolded && !model.get(id)))
      expect(returned).toEqual([])
      before = new Set([...now, ...(isFolded ? [] : before)])
    })
  },
)

law(
  '[REP-55] who leaves out each word once it is spent believes the same after every write as who keeps all',
  fc.tuple(schemas(), chapters),
  ([sample, told]) => {
    const world = new World(sample)
    const gone = new Set<string>()
    lived(world, told, model => {
      for (const id of spentIn(model)) gone.add(id)
      const kept = new SelfModel(world.schema, without(model, gone))
      for (const time of moments(world).slice(0, 3))
        for (const field of model.fields)
          for (const task of TASKS) {
            const other = kept.field(field.name)
            expectSameBelief(other && believe(other, time, task), believe(field, time, task))
          }
    })
  },
)
