import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { Archive } from '../store/archive.ts'
import { type KeyFlags, openArchive } from '../store/open-archive.ts'

const STORES = ['keys', 'store']
const ENVIRONMENT = /^data\.(\d{1,15})\.mdb$/

/**
 * The archive in a directory as it stands now, from a copy that is gone afterwards: it may be looked at while a server works
 * on it, and nothing that looks can harm it.
 */
export async function openCopy(
  directory: string,
  key: KeyFlags,
): Promise<{ readonly archive: Archive; readonly close: () => Promise<void> }> {
  const copy = mkdtempSync(join(tmpdir(), 'selfsame-look-'))
  const clear = () => rmSync(copy, { recursive: true, force: true })
  try {
    for (const store of STORES) await copyStore(join(directory, store), join(copy, store))
    for (const file of readdirSync(directory, { withFileTypes: true }))
      if (file.isFile()) copyFileSync(join(directory, file.name), join(copy, file.name))
    const archive = await openArchive(copy, key)
    return { archive, close: () => archive.close().finally(clear) }
  } catch (error) {
    clear()
    throw error
  }
}

/** LMDB itself copies what is committed at one moment, whoever writes meanwhile. */
async function copyStore(from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true })
  if (!existsSync(from)) return
  const last = readdirSync(from)
    .flatMap(file => ENVIRONMENT.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a)[0]
  if (last === undefined) return
  const database = open({ path: join(from, `data.${last}.mdb`), encoding: 'binary', readOnly: true })
  try {
    await database.backup(join(to, 'data.1.mdb'), true)
  } finally {
    await database.close()
  }
}
