import fc from 'fast-check'
import { expect } from 'vitest'
import { type Belief, believe } from '../../model/belief.ts'
import type { Word } from '../../model/evidence.ts'
import { explain } from '../../model/explanation.ts'
import type { Field } from '../../model/field.ts'
import { SelfModel } from '../../model/self-model.ts'
import { type Json, keyOf } from '../../model/value.ts'
import { law } from '../law.ts'
import { AGENTS, type Event, events, PEOPLE, type Say, sayable, says, World } from '../world/history.ts'
import { confidences, moments } from '../world/reading.ts'
import { KINDS, schemas } from '../world/schema.ts'

const TASK = 't1'
const DAY = 86_400_000

/** Settling is within one task. */
const inOneTask = (event: Event): Event => (event.type === 'say' ? { ...event, task: 1 } : event)
const byAgent = (event: Say): Say => ({ ...event, who: event.who % AGENTS.length })

/** Agents go on for as long as the person's word is held, and not a moment longer. */
function contradict(world: World, hold: number, words: readonly Say[]): void {
  const until = world.now + Math.min(hold, 365 * DAY)
  for (const said of words) {
    const wait = world.spanOf(said.wait, world.fieldOf(world.names[0] as string))
    world.now = Math.max(world.now, Math.min(world.now + wait, until - 1))
    if (world.now < until) world.happen(inOneTask({ ...byAgent(said), wait: 'none' }))
  }
}

/** A retraction takes back what is said up to the moment it is received, so that the next word needs the next moment. */
const afterRetractions = (world: World): void => {
  if (world.evidence.some(piece => piece.type === 'retraction' && piece.received === world.now)) world.wait('tick')
}

const lives = fc.tuple(
  schemas(KINDS, 1),
  events(),
  fc.constantFrom(...PEOPLE),
  fc.nat({ max: 3 }),
  fc.constantFrom(0.9, 0.95, 1),
  fc.array(says, { maxLength: 12 }),
)

/** A history, a person's word at its end, and agents' words within its hold. */
function live(
  [sample, before, who, index, confidence, after]: typeof lives extends fc.Arbitrary<infer T> ? T : never,
  not: boolean,
) {
  const world = new World(sample).live(before.map(inOneTask))
  afterRetractions(world)
  const name = world.names[0] as string
  const field = world.fieldOf(name)
  const value = sayable(field, index)
  const [word] = world.observe(who, { field: name, value, not, confidence, task: TASK, basis: 'heard' }) as [Word]
  contradict(world, field.hold, after)
  return { world, name, field, value, word }
}

const beliefIn = (world: World, name: string): Belief | undefined => {
  const evidence = new SelfModel(world.schema, world.evidence).field(name)
  return evidence && believe(evidence, world.now, TASK)
}

/** Some 900 half-lives after it was said a word is gone, however long it would be held. */
const isGone = (field: Field, word: Word, now: number): boolean => now - word.at > 800 * field.halfLife

const isSame = (field: Field, a: Json, b: Json): boolean =>
  typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) <= field.tolerance + 1e-9 : keyOf(a) === keyOf(b)

law(
  "[SET-3] a person's word sets aside what disagreed before it, and any number of agents can't overrule it within its hold",
  lives,
  life => {
    const { world, name, field, value, word } = live(life, false)
    if (isGone(field, word, world.now)) return
    const belief = beliefIn(world, name)
    if (field.kind === 'set') expect(belief?.value).toContain(value)
    else expect(isSame(field, belief?.value ?? null, value)).toBe(true)
  },
)

law("[SET-4] what a person denies, any number of agents can't restore within its hold", lives, life => {
  const { world, name, field, value, word } = live(life, true)
  if (isGone(field, word, world.now)) return
  const belief = beliefIn(world, name)
  if (field.kind === 'set') expect(belief?.value).not.toContain(value)
  else if (field.kind === 'flag') expect(belief?.value).toBe(!value)
  else {
    expect(belief === undefined || !isSame(field, belief.value, value)).toBe(true)
    if (world.now === word.at) expect(belief?.denied).toContainEqual(value)
  }
})

law(
  "[SET-13] from the end of a person's hold on, what agents say counts again, and not a moment before",
  fc.tuple(schemas(KINDS, 1), fc.nat({ max: 3 }), fc.nat({ max: 3 }), fc.nat({ max: 3 }), fc.boolean()),
  ([sample, said, other, early, not]) => {
    const world = new World(sample)
    const name = world.names[0] as string
    const field = world.fieldOf(name)
    if (!Number.isFinite(field.hold) || field.hold === 0 || (not && field.kind === 'set')) return
    const value = sayable(field, said)
    const against = not && field.kind !== 'flag' ? value : sayable(field, other)
    if (!(not && field.kind !== 'flag') && isSame(field, value, not ? !against : against) !== (field.kind === 'set'))
      return
    world.observe('hana', { field: name, value, not, confidence: 0.9, task: TASK })
    world.now += early === 0 ? field.hold : field.hold - early
    const [word] = world.observe('a1', {
      field: name,
      value: against,
      not: field.kind === 'set',
      task: TASK,
    }) as [Word]
    const evidence = new SelfModel(world.schema, world.evidence).field(name)
    const standing =
      evidence && explain(evidence, world.now, TASK).words.find(({ evidence: { id } }) => id === word.id)?.standing
    expect(standing).toBe(early === 0 ? 'counted' : 'held')
  },
)

law(
  '[SET-5] denying a value leaves the others as if it had never been said',
  fc.tuple(schemas(['choice', 'number', 'set', 'text', 'record'], 1), events(), fc.nat({ max: 3 }), fc.nat({ max: 3 })),
  ([sample, before, index, wait]) => {
    const world = new World(sample).live(before.map(inOneTask))
    world.wait((['none', 'idle', 'half-life', 'era'] as const)[wait] ?? 'none')
    afterRetractions(world)
    const name = world.names[0] as string
    const field = world.fieldOf(name)
    const denied = sayable(field, index)
    // What a register held before stays superseded, so that "never said" is said of the words that stay.
    const said = new SelfModel(world.schema, world.evidence).field(name)
    const superseded = new Set(
      (said ? explain(said, world.now).words : [])
        .filter(word => word.standing === 'superseded')
        .map(word => word.evidence.id),
    )
    const never = world.evidence.filter(
      piece =>
        piece.type !== 'word' || (!superseded.has(piece.id) && (piece.not || !isSame(field, piece.value, denied))),
    )
    world.observe('hana', { field: name, value: denied, not: true, confidence: 1, task: TASK, interaction: 'denial' })
    for (const time of moments(world)) {
      const is = confidences(believeAll(world, name, world.evidence, time))
      const would = confidences(believeAll(world, name, never, time))
      for (const confidence of [is, would])
        for (const [value, sure] of confidence) if (sure === 0 || value === keyOf(denied)) confidence.delete(value)
      expect([...is.keys()].sort()).toEqual([...would.keys()].sort())
      for (const [value, confidence] of is) expect(confidence).toBeCloseTo(would.get(value) as number, 9)
    }
  },
)

const believeAll = (world: World, name: string, evidence: World['evidence'], time: number): Belief | undefined => {
  const field = new SelfModel(world.schema, evidence).field(name)
  return field && believe(field, time, TASK)
}
