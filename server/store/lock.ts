import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Two starts at once may need a second look at the directory; more than a few means that something else writes there. */
const MAX_ATTEMPTS = 16

interface Holder {
  readonly pid: number
  /** When that process started, where the system tells: a number may have gone to another process since. */
  readonly started: string
}

/**
 * Keeps a directory for one process. The lock is the file `lock.N` of the highest N, and is held as long as the process
 * named in it lives. Who finds it dead links `lock.N+1`, which one of several can do, and clears those below. A
 * released lock stays behind, emptied: numbers never fall, so nobody takes a number over on the ground of an old look.
 */
export class DirectoryLock {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  static take(directory: string): DirectoryLock {
    mkdirSync(directory, { recursive: true })
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const last = lastNumber(directory)
      requireUnheld(directory, last)
      if (claim(directory, last + 1) && lastNumber(directory) === last + 1) {
        clearBelow(directory, last + 1)
        return new DirectoryLock(join(directory, `lock.${last + 1}`))
      }
    }
    throw new Error(`The lock of ${directory} could not be taken: other processes keep changing it.`)
  }

  release(): void {
    writeFileSync(this.#path, '')
  }
}

/** The process that has a directory now; undefined when none does. */
export function holderOf(directory: string): number | undefined {
  const last = lastNumber(directory)
  const holder = last > 0 ? readHolder(join(directory, `lock.${last}`)) : undefined
  return holder && isAlive(holder) ? holder.pid : undefined
}

function numbers(directory: string): number[] {
  return readdirSync(directory)
    .flatMap(file => /^lock\.(\d{1,15})$/.exec(file)?.[1] ?? [])
    .map(Number)
}

const lastNumber = (directory: string): number => Math.max(0, ...numbers(directory))

function requireUnheld(directory: string, number: number): void {
  const holder = number > 0 ? readHolder(join(directory, `lock.${number}`)) : undefined
  if (holder && isAlive(holder))
    throw new Error(
      `The data in ${directory} is in use by process ${holder.pid}. Stop it first, or use another directory.`,
    )
}

/** Written aside and linked into place, so that nobody reads a lock without its holder. */
function claim(directory: string, number: number): boolean {
  const draft = join(directory, `draft.${randomUUID()}`)
  const holder: Holder = { pid: process.pid, started: startOf(process.pid) ?? '' }
  writeFileSync(draft, JSON.stringify(holder), { flag: 'wx', mode: 0o600 })
  try {
    linkSync(draft, join(directory, `lock.${number}`))
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  } finally {
    rmSync(draft)
  }
}

function clearBelow(directory: string, number: number): void {
  for (const other of numbers(directory)) if (other < number) rmSync(join(directory, `lock.${other}`), { force: true })
}

/** Undefined when the lock was released or is gone by now. */
function readHolder(path: string): Holder | undefined {
  const text = readIfThere(path)
  if (!text) return undefined
  const { pid, started }: { pid?: unknown; started?: unknown } = JSON.parse(text)
  if (typeof pid !== 'number' || typeof started !== 'string') throw new Error(`${path} is no lock of this program.`)
  return { pid, started }
}

function isAlive({ pid, started }: Holder): boolean {
  const now = startOf(pid)
  return now === undefined ? answers(pid) : now === started
}

/** The machine's boot and the process' start within it, or 'none'; undefined on systems without /proc. */
function startOf(pid: number): string | undefined {
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')
  if (boot === undefined) return undefined
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return 'none'
  // Fields are counted from behind the name, which may hold anything: the start is the 22nd field, the state the third.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' ? 'none' : `${boot.trim()} ${fields[18]}`
}

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return undefined
    throw error
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
