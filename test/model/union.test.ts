import fc from 'fast-check'
import { expect } from 'vitest'
import { compact } from '../../model/compaction.ts'
import type { Evidence } from '../../model/evidence.ts'
import { explain } from '../../model/explanation.ts'
import { SelfModel } from '../../model/self-model.ts'
import { law } from '../law.ts'
import { events, TASKS, World } from '../world/history.ts'
import { expectSame, moments, read } from '../world/reading.ts'
import { schemas } from '../world/schema.ts'

const lives = fc.tuple(schemas(), events(), fc.array(fc.nat(), { minLength: 8, maxLength: 8 }))

/** The same pieces, cut into decks and laid together in another order. */
const shuffled = <T>(pieces: readonly T[], dice: readonly number[]): T[] =>
  pieces
    .map((piece, i) => ({ piece, key: ((dice[i % dice.length] as number) * (i + 7)) % 1009 }))
    .sort((a, b) => a.key - b.key)
    .map(({ piece }) => piece)

const all = (model: SelfModel, world: World): unknown =>
  moments(world).flatMap(time =>
    TASKS.map(task => ({
      view: [...read(model, time, task)],
      words: world.names.map(name => {
        const field = model.field(name)
        return field && explain(field, time, task).words
      }),
    })),
  )

law(
  '[EVI-1] union is commutative: the order in which evidence arrives changes nothing',
  lives,
  ([sample, happenings, dice]) => {
    const world = new World(sample).live(happenings)
    const straight = new SelfModel(world.schema, world.evidence)
    const other = new SelfModel(world.schema, shuffled(world.evidence, dice))
    expect(all(other, world)).toEqual(all(straight, world))
  },
)

law(
  '[EVI-2] union is associative: how evidence was grouped before changes nothing',
  lives,
  ([sample, happenings, dice]) => {
    const world = new World(sample).live(happenings)
    const part = (which: number): Evidence[] => world.evidence.filter((_, i) => (dice[i % 8] as number) % 3 === which)
    const union = (a: Iterable<Evidence>, b: Iterable<Evidence>) => new SelfModel(world.schema, [...a, ...b]).evidence
    const left = new SelfModel(world.schema, union(union(part(0), part(1)), part(2)))
    const right = new SelfModel(world.schema, union(part(0), union(part(1), part(2))))
    expect(all(left, world)).toEqual(all(right, world))
  },
)

law(
  '[EVI-3] union is idempotent: evidence that is known already changes nothing',
  lives,
  ([sample, happenings, dice]) => {
    const world = new World(sample).live(happenings)
    const once = new SelfModel(world.schema, world.evidence)
    const twice = new SelfModel(world.schema, world.evidence)
    for (const piece of shuffled(world.evidence, dice)) expect(twice.add(structuredClone(piece))).toBe(false)
    expect(twice.size).toBe(once.size)
    expect(all(twice, world)).toEqual(all(once, world))
  },
)

law(
  '[EVI-4] [COM-1] union with an uncompacted copy believes what the copy believes',
  lives,
  ([sample, happenings, dice]) => {
    const world = new World(sample).live(happenings)
    world.wait((['idle', 'late', 'era', 'none'] as const)[(dice[0] as number) % 4] ?? 'idle')
    world.wait('tick')
    const whole = new SelfModel(world.schema, world.evidence)
    const folded = compact(whole, world.now, world.isOpen)
    expectSame(world, new SelfModel(world.schema, folded), whole)
    expectSame(world, new SelfModel(world.schema, shuffled([...folded, ...world.evidence], dice)), whole)
    expectSame(world, new SelfModel(world.schema, [...world.evidence, ...folded]), whole)
  },
)
