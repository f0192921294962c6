import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COPY } from '../store/archive.ts'
import { NOBODY } from '../store/cells.ts'
import { HEAD } from '../store/keyring.ts'
import { LmdbCells } from '../store/lmdb-cells.ts'
import { requireData } from './data.ts'
import { readFlags } from './flags.ts'
import { UsageError } from './usage.ts'

/**
 * Copies the data, as of one moment for each of its parts. The store comes first: every key that it needs is then among
 * the keys, and of who is erased meanwhile there is none. The list of the erased comes last.
 */
export async function backup(args: readonly string[]): Promise<void> {
  const { flags, rest } = readFlags(args, ['data'])
  const { data = './data' } = flags
  const [to] = rest
  if (to === undefined || rest.length > 1) throw new UsageError('Name one DIR.')
  requireData(data)
  if (existsSync(to) && readdirSync(to).length > 0) throw new UsageError(`${to} is not empty.`)
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const head = LmdbCells.look(join(data, 'keys'), cells => cells.get('setting', NOBODY, HEAD))
  for (const part of ['store', 'keys']) await LmdbCells.copy(join(data, part), join(to, part))
  await putHead(join(to, 'keys'), head)
  for (const file of ['secret', 'webhook.secret', 'erased'])
    if (existsSync(join(data, file))) copyFileSync(join(data, file), join(to, file))
  writeFileSync(join(to, COPY), '')
  console.log(`${data} was copied to ${to}, without the master key: keep that elsewhere.`)
}

/** One that was signed while the copy was made would vouch for entries that the copy lacks. */
async function putHead(directory: string, value: Uint8Array | undefined): Promise<void> {
  const cells = LmdbCells.open(directory)
  await cells.write([{ table: 'setting', owner: NOBODY, item: HEAD, value }])
  await cells.close()
}
