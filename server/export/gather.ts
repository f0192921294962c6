import type { Evidence } from '../../model/evidence.ts'
import type { ExportAnswer, NameExported } from '../../model/wire/export.ts'
import type { Alias } from '../alias/aliases.ts'
import type { Noted } from '../audit/audit.ts'
import type { Archive } from '../store/archive.ts'

/** What an export is gathered from, and how much of it: what is left out is not for whoever asked. */
export interface Source {
  readonly evidenceOf: (name: string) => Promise<readonly Evidence[]>
  readonly aliases: readonly Alias[]
  readonly papersOf?: (name: string) => Iterable<readonly [id: string, paper: unknown]>
  readonly auditOf?: (name: string) => Iterable<Omit<Noted, 'number'>>
  /** So many papers, and so many entries of the audit, for each name. */
  readonly most: number
}

/** What is gathered between two breaths of the event loop. */
const SLICE = 128

/** Papers that tell what was done for a user. How names are joined is told apart, as names. */
const TOLD = ['broadcast:', 'handoff:', 'view:', 'work:']

export const papersOf =
  (archive: Archive) =>
  (name: string): Iterable<readonly [id: string, paper: unknown]> =>
    chained(TOLD.map(prefix => archive.papers(name, prefix)))

/** Everything that is kept of a user, under each name. */
export async function gather(user: string, source: Source): Promise<ExportAnswer> {
  const own = await ofName(user, source)
  const aliases: ({ alias: string; by: string; at: number } & NameExported)[] = []
  for (const { alias, by, at } of source.aliases) aliases.push({ alias, by, at, ...(await ofName(alias, source)) })
  return { user, ...own, ...(aliases.length > 0 && { aliases }) }
}

async function ofName(name: string, { evidenceOf, papersOf, auditOf, most }: Source): Promise<NameExported> {
  const evidence = await evidenceOf(name)
  const papers = await some(papersOf?.(name) ?? [], most)
  const audit = await some(auditOf?.(name) ?? [], most)
  const cut = [...(papers.isCut ? ['papers' as const] : []), ...(audit.isCut ? ['audit' as const] : [])]
  return {
    evidence,
    ...(papersOf && { papers: Object.fromEntries(papers.found) }),
    ...(auditOf && { audit: audit.found }),
    ...(cut.length > 0 && { cut }),
  }
}

async function some<T>(all: Iterable<T>, most: number): Promise<{ found: T[]; isCut: boolean }> {
  const found: T[] = []
  for (const each of all) {
    if (found.length === most) return { found, isCut: true }
    found.push(each)
    if (found.length % SLICE === 0) await new Promise(resolve => setImmediate(resolve))
  }
  return { found, isCut: false }
}

function* chained<T>(parts: readonly Iterable<T>[]): Iterable<T> {
  for (const part of parts) yield* part
}
