#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { audit } from './audit.ts'
import { backup } from './backup.ts'
import { check } from './check.ts'
import { runBuilt } from './child.ts'
import { demo } from './demo.ts'
import { eraseCommand } from './erase.ts'
import { keys } from './keys.ts'
import { replay } from './replay.ts'
import { serve } from './serve.ts'
import { token } from './token.ts'
import { exportCommand, importCommand } from './transfer.ts'
import { USAGE, UsageError } from './usage.ts'

type Command = (args: readonly string[]) => Promise<unknown>

const COMMANDS: Readonly<Record<string, Command>> = {
  serve,
  token,
  check,
  replay,
  audit,
  erase: eraseCommand,
  keys,
  backup,
  export: exportCommand,
  import: importCommand,
  demo,
  mcp: args => runBuilt('client/mcp/main.js', args),
  bench: args => runBuilt('bench/main.js', args),
  help: async () => console.log(USAGE),
  version: async () =>
    console.log(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version),
}

async function main(): Promise<number> {
  const [name = 'help', ...args] = process.argv.slice(2)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new UsageError(`No command "${name}".\n\n${USAGE}`)
  const code = await command(args)
  return typeof code === 'number' ? code : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  console.error(error instanceof UsageError ? message : `selfsame: ${message}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
