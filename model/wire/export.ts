import type { Evidence } from '../evidence.ts'
import type { AuditEntry } from './audit.ts'

/** Forms of an export: for programs, which `import` takes, and for a person to read. */
export const EXPORT_FORMATS = ['json', 'markdown'] as const

/** All that is kept under one name of a person. */
export interface NameExported {
  /** Every word and retraction with who said it, when, on what basis and why, as it stands. */
  readonly evidence: readonly Evidence[]
  /** Work and handoffs by the name each is kept under: `work:…`, `handoff:…`, `view:…`, `broadcast:…`. For reading only. */
  readonly papers?: { readonly [name: string]: unknown }
  /** Who saw, said or did what, the latest first. For reading only. */
  readonly audit?: readonly Omit<AuditEntry, 'id'>[]
  /** What did not fit and is therefore not all there. */
  readonly cut?: readonly ('papers' | 'audit')[]
}

export interface ExportAnswer extends NameExported {
  readonly user: string
  /** Other names of the same person, who joined them, and what is kept under each. */
  readonly aliases?: readonly AliasExported[]
}

export interface AliasExported extends NameExported {
  readonly alias: string
  readonly by: string
  readonly at: number
}

/** The same for a person to read, as Markdown in which nothing stored has any power. */
export interface ExportedPage {
  readonly user: string
  readonly text: string
}
