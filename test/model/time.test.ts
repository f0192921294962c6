import fc from 'fast-check'
import { expect } from 'vitest'
import { type Belief, believe, type Element } from '../../model/belief.ts'
import type { Field } from '../../model/field.ts'
import { SelfModel } from '../../model/self-model.ts'
import { type Json, keyOf } from '../../model/value.ts'
import { law } from '../law.ts'
import { events, TASKS, World } from '../world/history.ts'
import { confidences, moments } from '../world/reading.ts'
import { FUSED, schemas } from '../world/schema.ts'

const lives = fc.tuple(schemas(), events())

interface Course {
  readonly field: Field
  readonly beliefs: readonly { readonly time: number; readonly belief: Belief | undefined }[]
}

/** Each field's belief at every moment from now on, for every task. */
function courses([sample, happenings]: typeof lives extends fc.Arbitrary<infer T> ? T : never): Course[] {
  const world = new World(sample).live(happenings)
  const model = new SelfModel(world.schema, world.evidence)
  return [...model.fields].flatMap(evidence =>
    TASKS.map(task => ({
      field: evidence.field,
      beliefs: moments(world).map(time => ({ time, belief: believe(evidence, time, task ?? '') })),
    })),
  )
}

const steps = ({ field, beliefs }: Course) =>
  beliefs.slice(1).map(({ time, belief }, i) => ({ field, time, earlier: beliefs[i]?.belief, later: belief }))

law("[BEL-1] while nothing is said, no value's confidence rises", lives, life => {
  for (const course of courses(life))
    for (const { earlier, later } of steps(course)) {
      const before = confidences(earlier)
      for (const [value, confidence] of confidences(later))
        expect(confidence).toBeLessThanOrEqual(before.get(value) ?? 0)
    }
})

const alike = (a: Json, b: Json): boolean => keyOf(a) === keyOf(b)

const expectSubset = (later: readonly Element[], earlier: readonly Element[]): void => {
  for (const element of later) expect(earlier.find(({ value }) => value === element.value)?.in).toBe(element.in)
}

law('[BEL-2] while nothing is said, the value does not change until it is gone', lives, life => {
  for (const course of courses(life))
    for (const { field, time, earlier, later } of steps(course)) {
      if (!later || !earlier) expect(later).toBeUndefined()
      else if (later.elements) expectSubset(later.elements, earlier.elements ?? [])
      else if (!alike(later.value, earlier.value)) expect(time - earlier.lastSeen).toBeGreaterThan(800 * field.halfLife)
    }
})

law('[BEL-3] while nothing is said, uncertainty never falls', lives, life => {
  for (const course of courses(life))
    for (const { earlier, later } of steps(course))
      if (later) expect(later.uncertainty).toBeGreaterThanOrEqual(earlier?.uncertainty ?? 1)
})

const WORSE = { fresh: 0, fading: 1, stale: 2 }

law('[BEL-4] while nothing is said, status only worsens', lives, life => {
  for (const course of courses(life))
    for (const { earlier, later } of steps(course)) {
      if (!later || !earlier || later.value !== earlier.value) continue
      expect(WORSE[later.status]).toBeGreaterThanOrEqual(WORSE[earlier.status])
    }
})

law(
  '[BEL-5] confidences and uncertainty add up to one, and each is a number from 0 to 1',
  fc.tuple(schemas(FUSED), events()),
  life => {
    for (const { belief } of courses(life).flatMap(({ beliefs }) => beliefs)) {
      if (!belief) continue
      for (const { confidence, uncertainty } of [belief, ...(belief.elements ?? [])]) {
        expect(confidence).toBeGreaterThanOrEqual(0)
        expect(uncertainty).toBeGreaterThanOrEqual(0)
        expect(confidence + uncertainty).toBeLessThanOrEqual(1 + 1e-12)
      }
      for (const { confidence, held } of belief.alternatives) {
        expect(confidence).toBeGreaterThanOrEqual(0)
        expect(held >= 0 && held < 1).toBe(true)
      }
      if (belief.elements) continue
      const all = belief.alternatives.reduce((sum, { confidence }) => sum + confidence, belief.confidence)
      expect(all + belief.uncertainty).toBeCloseTo(1, 9)
    }
  },
)
