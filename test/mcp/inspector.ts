import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../server/process/program.ts'

const run = promisify(execFile)
const FOLDER = join(ROOT, 'node_modules/.cache/selfsame-test/inspector')
const NODE = `node-${process.platform}-${process.arch}`
/** It needs a Node that is newer than the oldest we run on, so it brings its own. */
const PACKAGES = ['@modelcontextprotocol/inspector@2', `${NODE}@24`]
const SCRIPT = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'
export const FETCH_WITHIN = 300_000

export interface Inspected {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** Fetches the inspector into a cache unless it is there, and answers with its command line. */
export async function inspector(): Promise<(args: readonly string[]) => Promise<Inspected>> {
  const [node, script] = [join(FOLDER, 'node_modules', NODE, 'bin/node'), join(FOLDER, SCRIPT)]
  if (!existsSync(node) || !existsSync(script)) {
    mkdirSync(FOLDER, { recursive: true })
    const command = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '--prefix', FOLDER]
    await run('npm', [...command, ...PACKAGES], { cwd: FOLDER, timeout: FETCH_WITHIN })
  }
  const env = { ...process.env, MCP_CATALOG_PATH: join(FOLDER, 'catalog.json') }
  return async args => {
    try {
      const { stdout, stderr } = await run(node, [script, '--cli', ...args], { cwd: FOLDER, env, maxBuffer: 2 ** 24 })
      return { code: 0, output: stdout, errors: stderr }
    } catch (error) {
      if (!(error instanceof Error) || !('stdout' in error) || !('stderr' in error) || !('code' in error)) throw error
      return { code: Number(error.code), output: String(error.stdout), errors: String(error.stderr) }
    }
  }
}
