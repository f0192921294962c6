import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { localSecret, mintToken } from '../server/access/token.ts'

const HOUR = 3_600_000
const MAIN = fileURLToPath(new URL('../server/cli/main.js', import.meta.url))

/** A server in a process of its own, on a store of its own, as one would start it. */
export class BenchServer {
  readonly data = mkdtempSync(join(tmpdir(), 'selfsame-bench-'))
  readonly #config: string
  readonly #node: string
  #child: ChildProcess | undefined
  url = ''

  constructor(definition: unknown, node = process.execPath) {
    this.#node = node
    this.#config = join(this.data, 'config.json')
    writeFileSync(this.#config, JSON.stringify(definition))
  }

  async start(): Promise<void> {
    const args = [MAIN, 'serve', '--port', '0', '--data', this.data, '--config', this.#config]
    const child = spawn(this.#node, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child = child
    for await (const line of createInterface({ input: child.stdout })) {
      const address = /^listening on (\S+)$/.exec(line)?.[1]
      if (address === undefined) continue
      this.url = address
      return
    }
    throw new Error('the server ended before it listened')
  }

  get secret(): Uint8Array {
    return localSecret(join(this.data, 'secret'))
  }

  token(agent: string, role: string): Promise<string> {
    return mintToken(this.secret, { agent, role, ttl: HOUR, now: Date.now() })
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }

  remove(): void {
    rmSync(this.data, { recursive: true, force: true })
  }
}
