import type { AuditEntry } from '../../model/wire/audit.ts'

/** What is noted in the audit, before it has a number. */
export interface Note extends Omit<AuditEntry, 'id'> {
  /** Whom it concerns; of what concerns nobody there is no user. */
  readonly user?: string
}

/** What is sealed of a note. A list of fields that was noted before, for the same user and day, is named by that entry. */
export interface Details extends Omit<AuditEntry, 'id' | 'at'> {
  readonly as?: number
}
