import type { Schema } from '../../model/schema.ts'
import type { Authority } from '../access/authority.ts'
import type { Aliases } from '../alias/aliases.ts'
import type { Journal } from '../audit/journal.ts'
import type { Limits } from '../limits.ts'
import type { Sought } from '../quality/repeat.ts'
import type { Archive, Loaded } from '../store/archive.ts'

/** What a room needs of the house it is in. */
export interface House {
  readonly schema: Schema
  readonly archive: Archive
  readonly limits: Limits
  readonly now: () => number
  readonly authority: Authority
  readonly journal: Journal
  readonly aliases: Aliases
  /** Records that could not be read; the rest is served. */
  readonly onDamage: (damage: Loaded['damaged']) => void
  /** Something failed that nobody waits for. */
  readonly onFault: (error: unknown) => void
  /** A holder has asked for something, or heard it of the user. */
  readonly onSought?: (sought: Sought, at: number) => void
}
