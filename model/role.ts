import type { Authority, Basis, Reach, RoleDefinition } from './definition.ts'
import { Patterns } from './pattern.ts'

/** A role of the schema, ready for use. */
export interface Role {
  readonly name: string
  readonly description: string
  readonly authority: Authority
  readonly reach: Reach
  readonly read: Patterns
  readonly write: Patterns
  readonly trust: number
  readonly confidence: Readonly<Record<Basis, number>>
  readonly needs: readonly string[]
  readonly handsTo: readonly string[]
  readonly actions: readonly string[]
}

const DEFAULT_CONFIDENCE: Record<Basis, number> = { heard: 0.9, seen: 0.95, inferred: 0.6 }

export const compileRole = (name: string, definition: RoleDefinition): Role => ({
  name,
  description: definition.description ?? '',
  authority: definition.authority ?? 'agent',
  reach: definition.reach ?? 'assigned',
  read: new Patterns(definition.read),
  write: new Patterns(definition.write),
  trust: definition.trust ?? 1,
  confidence: {
    heard: definition.confidence?.heard ?? DEFAULT_CONFIDENCE.heard,
    seen: definition.confidence?.seen ?? DEFAULT_CONFIDENCE.seen,
    inferred: definition.confidence?.inferred ?? DEFAULT_CONFIDENCE.inferred,
  },
  needs: definition.needs ?? [],
  handsTo: definition.handsTo ?? [],
  actions: definition.actions ?? [],
})

/** People settle: their word sets aside what disagreed before it. */
export const isPerson = (role: Role): boolean => role.authority !== 'agent'
