import { type Belief, believe } from './belief.ts'
import type { Patterns } from './pattern.ts'
import type { Scope } from './scope.ts'
import type { SelfModel } from './self-model.ts'

export interface Question {
  readonly time: number
  readonly task?: string
  /** Of the scope, only these fields. */
  readonly fields?: Patterns
  readonly minConfidence?: number
}

/** The beliefs that one scope may read at a time, by field. Nothing in it tells of what is not in it. */
export type View = ReadonlyMap<string, Belief>

export function view(model: SelfModel, scope: Scope, { time, task, fields, minConfidence = 0 }: Question): View {
  const beliefs = new Map<string, Belief>()
  for (const evidence of model.readable(scope)) {
    if (fields && !fields.has(evidence.name)) continue
    const belief = believe(evidence, time, task)
    if (belief && belief.confidence >= minConfidence) beliefs.set(evidence.name, belief)
  }
  return beliefs
}
