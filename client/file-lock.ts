import { readFile, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** Those this process holds: after a restart in a container the old process may have had the very same number. */
const held = new Set<string>()
const OWNER_ONLY = 0o600

/**
 * One process at a time may use a file: a second one's compaction would drop what the first has added. The lock of a
 * process that is gone is taken over. It knows only the processes of this machine.
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const name = resolve(`${path}.lock`)
  if (held.has(name)) throw inUse(path, process.pid)
  held.add(name)
  try {
    await take(path, name)
  } catch (error) {
    held.delete(name)
    throw error
  }
  return async () => {
    await rm(name, { force: true })
    held.delete(name)
  }
}

async function take(path: string, name: string): Promise<void> {
  if (await create(name)) return
  const owner = Number(await readFile(name, 'utf8'))
  if (owner !== process.pid && isAlive(owner)) throw inUse(path, owner)
  await rm(name, { force: true })
  if (!(await create(name))) throw inUse(path, Number(await readFile(name, 'utf8')))
}

async function create(name: string): Promise<boolean> {
  try {
    await writeFile(name, String(process.pid), { flag: 'wx', mode: OWNER_ONLY })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function isAlive(process_: number): boolean {
  try {
    return process_ > 0 && process.kill(process_, 0)
  } catch (error) {
    // One that may not be signalled is there.
    return hasCode(error, 'EPERM')
  }
}

const inUse = (path: string, owner: number): Error =>
  new Error(`The outbox ${path} is in use by process ${owner}. Give each process its own.`)

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
