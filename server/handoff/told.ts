import type { Schema } from '../../model/schema.ts'
import type { Scope } from '../../model/scope.ts'
import type { Delivery, Told } from '../../model/wire/handoff.ts'
import type { ServedPaper } from './kept.ts'

/** Of what was left out and of what was missing, as many are named in an archive. */
const MOST = 64

export const toldIn = ({ completeness, budget, gaps }: Pick<Delivery, 'completeness' | 'budget' | 'gaps'>): Told => ({
  completeness,
  strategy: budget.strategy,
  allowed: budget.allowed,
  used: budget.used,
  trimmed: budget.trimmed.slice(0, MOST),
  trimmedInAll: budget.trimmed.length,
  gaps: gaps.slice(0, MOST),
})

/**
 * How much a holder was told counts everything that it could read. So it is for who may read every field, whatever is in
 * it: cut down to less, its figures would tell of the rest.
 */
export const toldFor = (paper: ServedPaper | undefined, schema: Schema, { read }: Scope): Told | null =>
  [...schema.fields.keys()].every(field => read.coverage(field) === 'all') ? (paper?.told ?? null) : null
