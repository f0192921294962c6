import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export const ROOT = resolve(import.meta.dirname, '../../..')

/** The command line as it is published: `npm test` builds it first. */
const CLI = join(ROOT, 'dist/server/cli/main.js')

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

export interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>
  readonly directory?: string
  /** For a program that starts others: at the end of the test they go with it. */
  readonly isFamily?: boolean
}

/** A directory of the running test's own, gone after it. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'selfsame-server-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A program in a process of its own: what it says, line by line, and how it ended. It does not outlive the test. */
export class Program {
  readonly lines: string[] = []
  readonly ended: Promise<Ended>
  errors = ''
  readonly #process: ChildProcess
  readonly #onLine = new Set<() => void>()
  #isOver = false

  constructor(
    command: string,
    args: readonly string[],
    { environment = {}, directory = ROOT, isFamily = false }: Surroundings = {},
  ) {
    const child = spawn(command, args, {
      cwd: directory,
      env: { ...cleanEnvironment(), ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: isFamily,
    })
    this.#process = child
    child.stderr.on('data', chunk => {
      this.errors += String(chunk)
    })
    createInterface(child.stdout).on('line', line => {
      this.lines.push(line)
      this.#tell()
    })
    this.ended = once(child, 'close').then(([code, signal]) => {
      this.#isOver = true
      this.#tell()
      return { code, signal }
    })
    onTestFinished(async () => {
      if (this.#isOver) return
      if (isFamily && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      else this.signal('SIGKILL')
      await this.ended
    })
  }

  get output(): string {
    return this.lines.join('\n')
  }

  /** The first line that matches, as soon as there is one; rejects when the program ends without. */
  line(pattern: RegExp): Promise<RegExpExecArray> {
    return this.until(pattern, 1).then(([found]) => {
      if (!found) throw new Error(`No line matches ${pattern}.`)
      return found
    })
  }

  /** So many lines that match. */
  until(pattern: RegExp, count: number): Promise<RegExpExecArray[]> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.#matching(pattern)
        if (found.length < count && !this.#isOver) return
        this.#onLine.delete(look)
        if (found.length >= count) resolve(found)
        else reject(new Error(`Ended before ${count} × ${pattern}:\n${this.output}\n${this.errors}`))
      }
      this.#onLine.add(look)
      look()
    })
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  write(text: string): void {
    this.#process.stdin?.write(text)
  }

  #matching(pattern: RegExp): RegExpExecArray[] {
    return this.lines.map(line => pattern.exec(line)).filter(found => found !== null)
  }

  #tell(): void {
    for (const look of [...this.#onLine]) look()
  }
}

/** Settings of whoever runs the tests must not reach the programs under test. */
const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SELFSAME_')))

/** Runs a command line of the package. */
export const selfsame = (args: readonly string[], surroundings?: Surroundings): Program =>
  new Program(process.execPath, [CLI, ...args], surroundings)
