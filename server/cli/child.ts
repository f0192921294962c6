import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Runs another built program of the package in the foreground, until it is stopped, and answers with its exit code. */
export function runBuilt(
  path: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  stopped?: AbortSignal,
): Promise<number> {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  })
  stopped?.addEventListener('abort', () => child.kill())
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', code => resolve(code ?? 1))
  })
}
