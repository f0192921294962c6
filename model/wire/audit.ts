/** What the audit tells of a user: who did what, when, to which fields. */

export const AUDIT_KINDS = [
  'read',
  'write',
  'denial',
  'grant',
  'handoff',
  'export',
  'import',
  'alias',
  'erasure',
  'revocation',
  'link',
  'ticket',
  'audit',
  'backup',
  'keys',
  'retention',
  'gap',
] as const

export type AuditKind = (typeof AUDIT_KINDS)[number]

export interface AuditEntry {
  readonly id: string
  readonly at: number
  readonly kind: AuditKind
  /** Who did it; absent for what the server does by itself. */
  readonly agent?: string
  readonly role?: string
  /** By which operation, or what became of a handoff. */
  readonly what?: string
  /** The fields that were shown or written, as far as the reader of this entry may know of them. */
  readonly fields?: readonly string[]
  /** Under which handoff. */
  readonly handoff?: string
  /** Why it was refused. */
  readonly code?: string
  /** Until when a grant holds. */
  readonly expires?: number
  /** How often, or how many. */
  readonly count?: number
}

export interface AuditAnswer {
  readonly user: string
  /** The latest first. */
  readonly entries: readonly AuditEntry[]
  /** Where to go on, as `cursor`; absent at the end. */
  readonly next?: string
}
