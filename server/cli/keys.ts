import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holderOf } from '../store/lock.ts'
import { readMasterKey } from '../store/master-key.ts'
import { openArchive } from '../store/open-archive.ts'
import { requireData } from './data.ts'
import { readFlags } from './flags.ts'
import { KEY_FLAGS, keyFlagsOf } from './key-flags.ts'
import { UsageError } from './usage.ts'

/** By this signal a running server is asked to replace its master key. */
export const ROTATE = 'SIGUSR2'

const NEW = 'SELFSAME_NEW_MASTER_KEY_VALUE'
const LOOK_EVERY = 50
const DEADLINE = 60_000

export async function keys(args: readonly string[]): Promise<void> {
  const { flags, rest } = readFlags(args, ['data', ...KEY_FLAGS])
  const { data = './data', 'master-key': file = join(data, 'master.key') } = flags
  if (rest.length !== 1 || rest[0] !== 'rotate') throw new UsageError('Say `keys rotate`.')
  requireData(data)
  const isGiven = flags['master-key-command'] !== undefined || process.env['SELFSAME_MASTER_KEY_VALUE'] !== undefined
  const holder = holderOf(join(data, 'keys'))
  if (holder !== undefined && isGiven)
    throw new UsageError('A master key that is not in a file is replaced while the server is stopped.')
  if (holder !== undefined) await askServer(holder, file)
  else await rotateHere(data, flags, isGiven)
  console.log('The master key was replaced.')
}

async function rotateHere(data: string, flags: Parameters<typeof keyFlagsOf>[0], isGiven: boolean): Promise<void> {
  const next = process.env[NEW]
  if (isGiven && !next)
    throw new UsageError(`Give the new master key in ${NEW}, and from now on where the old one was.`)
  const archive = await openArchive(data, keyFlagsOf(flags))
  try {
    await archive.rotate(next ? readMasterKey(next, NEW) : undefined)
    await archive.audit.append([{ at: Date.now(), kind: 'keys', what: 'rotated' }])
  } finally {
    await archive.close()
  }
}

/** It has done so when the file holds another key. */
async function askServer(pid: number, file: string): Promise<void> {
  const before = readFileSync(file)
  process.kill(pid, ROTATE)
  for (let waited = 0; waited < DEADLINE; waited += LOOK_EVERY) {
    await sleep(LOOK_EVERY)
    if (!readFileSync(file).equals(before)) return
  }
  throw new Error(`Process ${pid} has not replaced ${file} within ${DEADLINE / 1_000} s. Its log says why.`)
}
