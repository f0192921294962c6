import fc from 'fast-check'
import { expect } from 'vitest'
import { believe } from '../../model/belief.ts'
import { compare, type Word } from '../../model/evidence.ts'
import { explain } from '../../model/explanation.ts'
import { SelfModel } from '../../model/self-model.ts'
import { law } from '../law.ts'
import { AGENTS, events, PEOPLE, sayable, TASKS, World } from '../world/history.ts'
import { moments, read } from '../world/reading.ts'
import { schemas } from '../world/schema.ts'

const speaking = fc.record({
  who: fc.constantFrom(...AGENTS, ...PEOPLE),
  value: fc.nat({ max: 3 }),
  confidence: fc.constantFrom(0.3, 0.6, 0.95),
  task: fc.constantFrom(...TASKS),
  basis: fc.constantFrom('heard' as const, 'inferred' as const),
})

const observation = (
  world: World,
  { value, confidence, task, basis }: Omit<typeof speaking extends fc.Arbitrary<infer T> ? T : never, 'who'>,
) => {
  const field = world.names[0] as string
  return { field, value: sayable(world.fieldOf(field), value), confidence, task, basis, interaction: 'one' }
}

const sees = (world: World, evidence: World['evidence']): unknown =>
  moments(world).flatMap(time => TASKS.map(task => [...read(new SelfModel(world.schema, evidence), time, task)]))

law(
  '[SET-1] a register holds one word: saying it again changes only its age',
  fc.tuple(
    schemas(),
    events(8),
    speaking,
    fc.array(fc.nat({ max: 1_800_000 }), { minLength: 1, maxLength: 5 }),
    events(3),
  ),
  ([sample, before, said, pauses, after]) => {
    const world = new World(sample).live(before)
    const repeated: Word[] = world.observe(said.who, observation(world, said))
    for (const pause of pauses) {
      world.now += pause
      repeated.push(...world.observe(said.who, observation(world, said)))
    }
    const last = repeated.at(-1)
    world.live(after)
    const once = world.evidence.filter(piece => piece === last || !repeated.some(word => word === piece))
    expect(sees(world, world.evidence)).toEqual(sees(world, once))
  },
)

law(
  '[SET-2] a late word that is older than the last of its register changes nothing',
  fc.tuple(schemas(), events(8), speaking, speaking, fc.integer({ min: 1, max: 259_200_000 }), events(3)),
  ([sample, before, said, late, ago, after]) => {
    const world = new World(sample).live(before)
    const { who, task } = said
    const word = world.observe(who, observation(world, said))[0] as Word
    const element = world.fieldOf(word.field).kind === 'set' ? said.value : late.value
    const older = world.observe(who, {
      ...observation(world, { ...late, task, value: element }),
      at: Math.max(word.at - ago, world.now - world.schema.settings.late),
    })
    world.live(after)
    const without = world.evidence.filter(piece => !older.some(word => word === piece))
    expect(sees(world, world.evidence)).toEqual(sees(world, without))
  },
)

law(
  '[SET-14] only a later word of the same agent, interaction and episode displaces a word',
  fc.tuple(schemas(), events(20)),
  ([sample, happenings]) => {
    const world = new World(sample).live(happenings)
    const byId = new Map(world.words.map(word => [word.id, word]))
    const registerOf = ({ agent, interaction, episode }: Word) => [agent, interaction, episode]
    for (const field of new SelfModel(world.schema, world.evidence).fields)
      for (const { evidence, standing, by } of explain(field, world.now).words) {
        if (standing !== 'superseded') continue
        const [word, later] = [byId.get(evidence.id) as Word, byId.get(by ?? '') as Word]
        expect(registerOf(later)).toEqual(registerOf(word))
        expect(compare(word, later)).toBeLessThan(0)
      }
  },
)

law(
  '[BEL-6] a word for the believed value in a new register never lowers it (choice, flag, element)',
  fc.tuple(
    schemas(['choice', 'flag', 'set'], 1),
    events(),
    speaking,
    fc.constantFrom(...TASKS),
    fc.nat({ max: 259_200_000 }),
    fc.nat({ max: 2 }),
  ),
  ([sample, before, said, task, ago, which]) => {
    const world = new World(sample).live(before)
    const name = world.names[0] as string
    const evidence = new SelfModel(world.schema, world.evidence).field(name)
    const was = evidence && believe(evidence, world.now, task ?? '')
    if (!was || was.value === null) return
    const element = was.elements?.[which % was.elements.length]
    const claim = element ? { value: element.value, not: !element.in } : { value: was.value }
    const at = Math.max(world.now - ago, world.now - world.schema.settings.late)
    world.observe(said.who, { ...observation(world, said), ...claim, at, interaction: 'new' })
    const now = new SelfModel(world.schema, world.evidence).field(name)
    const is = now && believe(now, world.now, task ?? '')
    if (!element) {
      expect(is?.value).toEqual(was.value)
      expect(is?.confidence).toBeGreaterThanOrEqual(was.confidence - 1e-12)
      return
    }
    const confirmed = is?.elements?.find(({ value }) => value === element.value)
    expect(confirmed?.in).toBe(element.in)
    expect(confirmed?.confidence).toBeGreaterThanOrEqual(element.confidence - 1e-12)
  },
)
