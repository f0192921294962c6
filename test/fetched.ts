import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './server/process/program.ts'

const run = promisify(execFile)
export const FETCH_WITHIN = 300_000

/** Programs that need another Node or compiler than ours: fetched into a cache once, never among our dependencies. */
export async function fetched(name: string, packages: readonly string[], proof: string): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/selfsame-test', name)
  if (!existsSync(join(folder, proof))) {
    mkdirSync(folder, { recursive: true })
    const command = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '--prefix', folder]
    await run('npm', [...command, ...packages], { cwd: folder, timeout: FETCH_WITHIN })
  }
  return folder
}
