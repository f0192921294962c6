import { SelfsameError } from '../../model/error.ts'
import { isId } from '../../model/name.ts'
import { type Exported, importUser, parseExported } from '../operation/exported.ts'
import { openArchive } from '../store/open-archive.ts'
import { readJsonFile } from './config.ts'
import { requireData } from './data.ts'
import { readFlags } from './flags.ts'
import { KEY_FLAGS, keyFlagsOf } from './key-flags.ts'
import { UsageError } from './usage.ts'

/** Prints all evidence of a user as JSON, which `import` takes elsewhere. */
export async function exportCommand(args: readonly string[]): Promise<void> {
  const { named: user, data, key } = lineOf(args, 'USER')
  if (!isId(user)) throw new UsageError('A USER is 1 to 128 letters, digits or any of _ . : ~ -')
  requireData(data)
  const archive = await openArchive(data, key)
  const { evidence, damaged } = await archive.load(user)
  await archive.close()
  if (damaged.length > 0) console.error(`${damaged.length} records could not be read and are not in the export.`)
  if (evidence.length === 0) console.error(`Nothing is known of ${user} in ${data}.`)
  console.log(JSON.stringify({ user, evidence }, null, 1))
}

/** Adds what another store has exported. What is here already stays as it is. */
export async function importCommand(args: readonly string[]): Promise<void> {
  const { named: file, data, key } = lineOf(args, 'FILE')
  const exported = readExported(file)
  const archive = await openArchive(data, key)
  try {
    const fresh = await importUser(archive, exported)
    await archive.audit.append([{ user: exported.user, at: Date.now(), kind: 'import', count: fresh }])
    console.log(`${exported.user}: ${fresh} of ${exported.evidence.length} pieces of evidence were new.`)
  } finally {
    await archive.close()
  }
}

function lineOf(args: readonly string[], what: string) {
  const { flags, rest } = readFlags(args, ['data', ...KEY_FLAGS])
  const [named] = rest
  if (named === undefined || rest.length > 1) throw new UsageError(`Name one ${what}.`)
  return { named, data: flags.data ?? './data', key: keyFlagsOf(flags) }
}

function readExported(file: string): Exported {
  try {
    return parseExported(readJsonFile(file))
  } catch (error) {
    if (error instanceof SelfsameError) throw new UsageError(`${file} is not an export: ${error.message}`)
    throw error
  }
}
