import { expect } from 'vitest'
import type { Belief } from '../../model/belief.ts'
import { unwrap } from '../../model/error.ts'
import { scopeOf } from '../../model/scope.ts'
import type { SelfModel } from '../../model/self-model.ts'
import { type Json, keyOf } from '../../model/value.ts'
import { type View, view } from '../../model/view.ts'
import { TASKS, type World } from './history.ts'

/** All that a person may read. */
export const read = (model: SelfModel, time: number, task?: string): View =>
  view(model, scopeOf(unwrap(model.schema.role('human'))), { time, ...(task !== undefined && { task }) })

/** Now, and moments after it at which things fade, are released or are gone. */
export const moments = (world: World): number[] => {
  const waits = world.names.flatMap(name => {
    const field = world.fieldOf(name)
    return (['hold', 'half-life', 'late', 'era'] as const).map(span => world.spanOf(span, field))
  })
  const furthest = Math.max(...waits)
  return [...new Set([0, 1, ...waits, 3 * furthest, 20 * furthest])].sort((a, b) => a - b).map(ms => world.now + ms)
}

/** The beliefs of two models at every moment and for every task. */
export function expectSame(world: World, a: SelfModel, b: SelfModel): void {
  for (const time of moments(world)) for (const task of TASKS) expectSameView(read(a, time, task), read(b, time, task))
}

/** Equal but for the last bits of a sum, and the order of alternatives that weigh the same. */
export function expectSameView(a: View, b: View): void {
  expect([...a.keys()]).toEqual([...b.keys()])
  for (const [name, belief] of a) expectSameBelief(belief, b.get(name) as Belief)
}

export function expectSameBelief(a: Belief | undefined, b: Belief | undefined): void {
  if (!alike(ordered(a), ordered(b))) expect(ordered(a)).toEqual(ordered(b))
}

const ordered = (belief: Belief | undefined): Belief | undefined =>
  belief && { ...belief, alternatives: belief.alternatives.toSorted((a, b) => order(a.value, b.value)) }

const order = (a: Json, b: Json): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : keyOf(a) < keyOf(b) ? -1 : 1

/** A standard deviation is the root of a difference: half of its digits are lost. */
function alike(a: unknown, b: unknown, key = ''): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= (key === 'spread' ? 1e-4 : 1e-9 * Math.max(Math.abs(a), Math.abs(b)))
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b
  const left = Object.entries(a)
  const right = new Map<string, unknown>(Object.entries(b))
  return (
    left.length === right.size && left.every(([name, item]) => right.has(name) && alike(item, right.get(name), name))
  )
}

/** Confidence by value; of a set, by element. */
export function confidences(belief: Belief | undefined): Map<string, number> {
  if (!belief) return new Map()
  if (belief.elements) return new Map(belief.elements.map(({ value, confidence }) => [value, confidence]))
  const all = [{ value: belief.value, confidence: belief.confidence }, ...belief.alternatives]
  return new Map(all.map(({ value, confidence }) => [keyOf(value), confidence]))
}
