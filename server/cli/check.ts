import { existsSync } from 'node:fs'
import type { Evidence } from '../../model/evidence.ts'
import { type Evolution, evolve, unfitUnder } from '../../model/evolution.ts'
import type { Schema } from '../../model/schema.ts'
import type { KeyFlags } from '../store/open-archive.ts'
import { readConfig } from './config.ts'
import { openCopy } from './copy.ts'
import { requireData } from './data.ts'
import { readFlags } from './flags.ts'
import { KEY_FLAGS, keyFlagsOf } from './key-flags.ts'
import { UsageError } from './usage.ts'

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
    [...evolution.access, ...evolution.roles].some(({ change }) => change === 'loses') ||
    evolution.fields.some(({ change }) => change === 'removed')
  console.log(isLosing ? 'Something is lost: see above.' : 'Nothing is lost.')
  return isLosing ? 1 : 0
}

/** Who gains or loses what, a line each. */
export function linesOf({ fields, access, roles }: Evolution): string[] {
  return [
    ...fields.map(
      ({ field, change, details }) =>
        `field ${field} is ${change}${details.length > 0 ? `: ${details.join('; ')}` : ''}`,
    ),
    ...roles.map(({ role, what, change }) =>
      what.startsWith('is ') ? `role ${role} ${what}` : `role ${role} ${change} ${what}`,
    ),
    ...access.map(
      ({ role, change, side, field, from, to }) => `role ${role} ${change} ${side} of ${field} (${from} → ${to})`,
    ),
    ...(fields.length + access.length + roles.length === 0 ? ['No field and no role changes.'] : []),
  ]
}

/** How many pieces of stored evidence would mean nothing any more, told by field and reason. */
async function unfitIn(data: string, key: KeyFlags, schema: Schema): Promise<number> {
  requireData(data)
  const { archive, close } = await openCopy(data, key).catch((error: unknown) => {
    // Not 1, which says that something would be lost.
    throw new UsageError(error instanceof Error ? error.message : String(error))
  })
  const counts = new Map<string, Count>()
  try {
    for (const user of archive.users().users) count(counts, schema, (await archive.load(user)).evidence)
  } finally {
    await close()
  }
  for (const [what, { pieces, users }] of [...counts].sort())
    console.log(
      `evidence of ${what}: ${pieces} ${pieces === 1 ? 'piece' : 'pieces'} of ${users} ${users === 1 ? 'user' : 'users'}`,
    )
  return [...counts.values()].reduce((sum, { pieces }) => sum + pieces, 0)
}

interface Count {
  pieces: number
  users: number
}

function count(counts: Map<string, Count>, schema: Schema, evidence: readonly Evidence[]): void {
  const unfit = unfitUnder(schema, evidence)
  const seen = new Set<string>()
  for (const piece of evidence) {
    const reason = unfit.get(piece.id)
    if (reason === undefined || !('field' in piece)) continue
    const what = `${piece.field} no longer fits: ${reason}`
    const known = counts.get(what) ?? { pieces: 0, users: 0 }
    known.pieces++
    if (!seen.has(what)) known.users++
    seen.add(what)
    counts.set(what, known)
  }
}
