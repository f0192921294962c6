import { statSync } from 'node:fs'
import { SelfsameError } from '../../model/error.ts'
import { isId } from '../../model/name.ts'
import { EXPORT_FORMATS } from '../../model/wire/export.ts'
import { Aliases } from '../alias/aliases.ts'
import type { Noted } from '../audit/audit.ts'
import { gather, papersOf, type Source } from '../export/gather.ts'
import { pageOf } from '../export/page.ts'
import { type Exported, importUser, parseExported } from '../operation/exported.ts'
import type { Archive } from '../store/archive.ts'
import { openArchive } from '../store/open-archive.ts'
import { readJsonFile } from './config.ts'
import { requireData } from './data.ts'
import { readFlags } from './flags.ts'
import { KEY_FLAGS, keyFlagsOf } from './key-flags.ts'
import { UsageError } from './usage.ts'

/** Papers, and entries of the audit, that a file holds for each name. */
const MOST = 100_000
const MAX_IMPORT_BYTES = 256 * 1024 * 1024

/** Prints everything that is kept of a user: as JSON, which `import` takes elsewhere, or for a person to read. */
export async function exportCommand(args: readonly string[]): Promise<void> {
  const { named: user, data, key, format = 'json' } = lineOf(args, 'USER', ['format'])
  if (!isId(user)) throw new UsageError('A USER is 1 to 128 letters, digits or any of _ . : ~ -')
  const form = EXPORT_FORMATS.find(each => each === format)
  if (!form) throw new UsageError(`--format is one of ${EXPORT_FORMATS.join(', ')}.`)
  requireData(data)
  const archive = await openArchive(data, key)
  try {
    const exported = await gather(user, sourceOf(archive, user))
    if (exported.evidence.length === 0) console.error(`Nothing is known of ${user} in ${data}.`)
    await archive.audit.append([{ at: Date.now(), user, kind: 'export', what: 'command line' }])
    console.log(form === 'markdown' ? pageOf(exported) : JSON.stringify(exported, null, 1))
  } finally {
    await archive.close()
  }
}

function sourceOf(archive: Archive, user: string): Source {
  return {
    evidenceOf: async name => {
      const { evidence, damaged } = await archive.load(name)
      if (damaged.length > 0) console.error(`${damaged.length} records could not be read and are not in the export.`)
      return evidence
    },
    aliases: new Aliases(archive).of(user),
    papersOf: papersOf(archive),
    auditOf: name => withoutNumbers(archive.audit.trail(name)),
    most: MOST,
  }
}

function* withoutNumbers(trail: Iterable<Noted>): Iterable<Omit<Noted, 'number'>> {
  for (const { number: _, ...entry } of trail) yield entry
}

/** Adds what another store has exported. What is here already stays as it is. */
export async function importCommand(args: readonly string[]): Promise<void> {
  const { named: file, data, key } = lineOf(args, 'FILE')
  const exported = readExported(file)
  const { user, evidence, aliases = [] } = exported
  const archive = await openArchive(data, key)
  try {
    const fresh = await importUser(archive, exported)
    await archive.audit.append([{ at: Date.now(), user, kind: 'import', count: fresh }])
    const all = [evidence, ...aliases.map(each => each.evidence)].reduce((sum, each) => sum + each.length, 0)
    console.log(`${user}: ${fresh} of ${all} pieces of evidence were new.`)
    if ([exported, ...aliases].some(({ papers = {} }) => Object.keys(papers).length > 0))
      console.error(
        'Work, handoffs and the audit stay in the file: authority and proof are of the store that made them.',
      )
  } catch (error) {
    throw error instanceof SelfsameError ? new UsageError(error.message) : error
  } finally {
    await archive.close()
  }
}

function lineOf(args: readonly string[], what: string, more: readonly 'format'[] = []) {
  const { flags, rest } = readFlags(args, ['data', ...more, ...KEY_FLAGS])
  const [named] = rest
  if (named === undefined || rest.length > 1) throw new UsageError(`Name one ${what}.`)
  return { named, data: flags.data ?? './data', key: keyFlagsOf(flags), format: flags.format }
}

function readExported(file: string): Exported {
  if (sizeOf(file) > MAX_IMPORT_BYTES) throw new UsageError(`${file} has more than ${MAX_IMPORT_BYTES} bytes.`)
  try {
    return parseExported(readJsonFile(file))
  } catch (error) {
    if (error instanceof SelfsameError) throw new UsageError(`${file} is not an export: ${error.message}`)
    throw error
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
