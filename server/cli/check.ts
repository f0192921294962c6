import { existsSync } from 'node:fs'
import { type Evolution, evolve, unfitUnder } from '../../model/evolution.ts'
import type { Schema } from '../../model/schema.ts'
import { type KeyFlags, openArchive } from '../store/open-archive.ts'
import { readConfig } from './config.ts'
import { requireData } from './data.ts'
import { readFlags } from './flags.ts'
import { KEY_FLAGS, keyFlagsOf } from './key-flags.ts'
import { UsageError } from './usage.ts'

const MAX_LISTED = 20

/** What a new schema would change, before it is in force. Answers with the exit code. */
export async function check(args: readonly string[]): Promise<number> {
  const { flags, rest } = readFlags(args, ['config', 'data', ...KEY_FLAGS])
  const [file] = rest
  if (file === undefined || rest.length > 1) throw new UsageError('Name one NEW.json.')
  const next = readConfig(file)
  const evolution = evolve(readConfig(flags.config), next)
  for (const line of linesOf(evolution)) console.log(line)
  const unfit =
    flags.data !== undefined || existsSync('./data')
      ? await unfitIn(flags.data ?? './data', keyFlagsOf(flags), next)
      : 0
  const isLosing =
    unfit > 0 ||
    evolution.access.some(({ change }) => change === 'loses') ||
    evolution.fields.some(({ change }) => change === 'removed')
  console.log(isLosing ? 'Something is lost: see above.' : 'Nothing is lost.')
  return isLosing ? 1 : 0
}

function linesOf({ fields, access }: Evolution): string[] {
  return [
    ...fields.map(
      ({ field, change, details }) =>
        `field ${field} is ${change}${details.length > 0 ? `: ${details.join('; ')}` : ''}`,
    ),
    ...access.map(
      ({ role, change, side, field, from, to }) => `role ${role} ${change} ${side} of ${field} (${from} → ${to})`,
    ),
    ...(fields.length + access.length === 0 ? ['No field and no role changes.'] : []),
  ]
}

/** How many pieces of stored evidence would mean nothing any more; the first of them are listed. */
async function unfitIn(data: string, key: KeyFlags, schema: Schema): Promise<number> {
  requireData(data)
  const archive = await openArchive(data, key).catch((error: unknown) => {
    // Not 1, which says that something would be lost.
    throw new UsageError(error instanceof Error ? error.message : String(error))
  })
  let count = 0
  try {
    for (const user of archive.users().users) {
      const unfit = unfitUnder(schema, (await archive.load(user)).evidence)
      for (const [id, reason] of unfit)
        if (count++ < MAX_LISTED) console.log(`evidence ${id} no longer fits: ${reason}`)
    }
  } finally {
    await archive.close()
  }
  if (count > MAX_LISTED) console.log(`… and ${count - MAX_LISTED} more.`)
  return count
}
