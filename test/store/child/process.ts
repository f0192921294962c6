import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const ROOT = resolve(import.meta.dirname, '../../..')

/** The worker as plain JavaScript in a directory of its own, with the modules of the house in reach. */
export class Build {
  readonly directory = mkdtempSync(join(tmpdir(), 'selfsame-worker-'))

  constructor() {
    writeFileSync(join(this.directory, 'package.json'), '{"type":"module"}')
    symlinkSync(join(ROOT, 'node_modules'), join(this.directory, 'node_modules'))
    const options = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--noCheck', '--ignoreConfig']
    const places = ['--rootDir', ROOT, '--outDir', this.directory, '--rewriteRelativeImportExtensions']
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const source = join(ROOT, 'test/store/child/worker.ts')
    execFileSync(process.execPath, [tsc, ...options, ...places, source], { cwd: ROOT })
  }

  run(args: readonly string[], environment: Record<string, string> = {}): Worker {
    const script = join(this.directory, 'test/store/child/worker.js')
    return new Worker(spawn(process.execPath, [script, ...args], { env: { ...process.env, ...environment } }))
  }

  remove(): void {
    rmSync(this.directory, { recursive: true })
  }
}

/** A running worker: its lines as they come, and how it ended. */
export class Worker {
  readonly lines: string[] = []
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  errors = ''
  readonly #process: ChildProcess
  readonly #onLine = new Set<() => void>()

  constructor(child: ReturnType<typeof spawn>) {
    this.#process = child
    child.stderr?.on('data', chunk => {
      this.errors += String(chunk)
    })
    if (child.stdout) createInterface(child.stdout).on('line', line => this.#hear(line))
    this.ended = once(child, 'close').then(([code, signal]) => {
      for (const tell of [...this.#onLine]) tell()
      return { code, signal }
    })
  }

  /** Settles when so many lines begin with the word; rejects when the worker ends before. */
  until(word: string, count = 1): Promise<void> {
    const enough = () => this.starting(word).length >= count
    return new Promise((resolve, reject) => {
      const look = () => {
        if (enough()) resolve()
        else if (this.#process.exitCode !== null || this.#process.signalCode !== null)
          reject(new Error(`The worker ended before "${word}": ${this.lines.slice(-3).join('; ')} ${this.errors}`))
        else return
        this.#onLine.delete(look)
      }
      this.#onLine.add(look)
      look()
    })
  }

  starting(word: string): string[] {
    return this.lines.filter(line => line.startsWith(word))
  }

  get acknowledged(): { user: string; id: string }[] {
    return this.starting('ack ').map(line => {
      const [, user = '', id = ''] = line.split(' ')
      return { user, id }
    })
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  write(text: string): void {
    this.#process.stdin?.write(text)
  }

  finish(): void {
    this.#process.stdin?.end()
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }

  #hear(line: string): void {
    this.lines.push(line)
    for (const tell of [...this.#onLine]) tell()
  }
}
