import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseDuration } from '../../model/duration.ts'
import { isId } from '../../model/name.ts'
import { localSecret, mintToken } from '../access/token.ts'
import { readConfig } from './config.ts'
import { readFlags, requireNoRest } from './flags.ts'
import { UsageError } from './usage.ts'

const FLAGS = ['agent', 'role', 'ttl', 'data', 'config'] as const

/** Prints a token alone, so that it can be put into a variable. */
export async function token(args: readonly string[]): Promise<void> {
  const line = readFlags(args, FLAGS)
  requireNoRest(line)
  const { flags } = line
  const { agent, role, ttl = '12h', data = './data' } = flags
  const { roles } = readConfig(flags.config)
  if (agent === undefined || !isId(agent))
    throw new UsageError('--agent is 1 to 128 letters, digits or any of _ . : ~ -')
  if (role === undefined || !roles.has(role)) throw new UsageError(`--role is one of ${[...roles.keys()].join(', ')}.`)
  const life = parseDuration(ttl)
  if (life === undefined || !Number.isFinite(life)) throw new UsageError('--ttl is a time such as 15m, 12h or 30d.')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const secret = localSecret(join(data, 'secret'))
  console.log(await mintToken(secret, { agent, role, ttl: life, now: Date.now() }))
}
