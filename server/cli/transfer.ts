import { importUser, parseExported } from '../operation/exported.ts'
import type { Archive } from '../store/archive.ts'
import { openArchive } from '../store/open-archive.ts'
import { readJsonFile } from './config.ts'
import { readFlags } from './flags.ts'
import { UsageError } from './usage.ts'

/** Prints all evidence of a user as JSON, which `import` takes elsewhere. */
export async function exportCommand(args: readonly string[]): Promise<void> {
  const { user, archive } = await opened(args, 'USER')
  const { evidence, damaged } = await archive.load(user)
  await archive.close()
  if (damaged.length > 0) console.error(`${damaged.length} records could not be read and are not in the export.`)
  console.log(JSON.stringify({ user, evidence }, null, 1))
}

export async function importCommand(args: readonly string[]): Promise<void> {
  const { user: file, archive } = await opened(args, 'FILE')
  try {
    const exported = parseExported(readJsonFile(file))
    const fresh = await importUser(archive, exported)
    console.log(`${exported.user}: ${fresh} of ${exported.evidence.length} pieces of evidence were new.`)
  } finally {
    await archive.close()
  }
}

async function opened(args: readonly string[], what: string): Promise<{ user: string; archive: Archive }> {
  const { flags, rest } = readFlags(args, ['data', 'master-key'])
  const [user] = rest
  if (user === undefined || rest.length > 1) throw new UsageError(`Name one ${what}.`)
  return { user, archive: await openArchive(flags.data ?? './data', flags['master-key']) }
}
