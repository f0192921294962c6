import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fetched } from '../fetched.ts'

const run = promisify(execFile)
const NODE = `node-${process.platform}-${process.arch}`
/** It needs a Node that is newer than the oldest we run on, so it brings its own. */
const PACKAGES = ['@modelcontextprotocol/inspector@2', `${NODE}@24`]
const SCRIPT = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'

export interface Inspected {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** The inspector's command line. */
export async function inspector(): Promise<(args: readonly string[]) => Promise<Inspected>> {
  const folder = await fetched('inspector', PACKAGES, SCRIPT)
  const node = join(folder, 'node_modules', NODE, 'bin/node')
  const env = { ...process.env, MCP_CATALOG_PATH: join(folder, 'catalog.json') }
  return async args => {
    try {
      const command = [join(folder, SCRIPT), '--cli', ...args]
      const { stdout, stderr } = await run(node, command, { cwd: folder, env, maxBuffer: 2 ** 24 })
      return { code: 0, output: stdout, errors: stderr }
    } catch (error) {
      if (!(error instanceof Error) || !('stdout' in error) || !('stderr' in error) || !('code' in error)) throw error
      return { code: Number(error.code), output: String(error.stdout), errors: String(error.stderr) }
    }
  }
}
