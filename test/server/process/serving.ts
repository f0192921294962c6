import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { localSecret, mintToken } from '../../../server/access/token.ts'
import type { Limits } from '../../../server/limits.ts'
import { Program, type Surroundings, scratch, selfsame } from './program.ts'

const HOUR = 3_600_000

/** A server in a process of its own. */
export class Serving {
  readonly url: string
  readonly data: string
  readonly program: Program
  #asked = 0

  private constructor(program: Program, url: string, data: string) {
    this.program = program
    this.url = url
    this.data = data
  }

  /** `selfsame serve`, as anyone would run it. */
  static async serve(data: string, port = 0, surroundings?: Surroundings): Promise<Serving> {
    const program = selfsame(['serve', '--port', `${port}`, '--data', data, '--log', 'error'], surroundings)
    return Serving.#ready(program, data)
  }

  /** The same service with limits that can be reached within a test. */
  static async limited(limits: Partial<Limits>): Promise<Serving> {
    const data = scratch()
    const script = fileURLToPath(new URL('./limited.mjs', import.meta.url))
    return Serving.#ready(new Program(process.execPath, [script, data, JSON.stringify(limits)]), data)
  }

  static async #ready(program: Program, data: string): Promise<Serving> {
    const [, url = ''] = await program.line(/^listening on (http:\/\/\S+)$/)
    return new Serving(program, url, data)
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  token(agent: string, role = 'triage'): Promise<string> {
    return mintToken(localSecret(join(this.data, 'secret')), { agent, role, ttl: HOUR, now: Date.now() })
  }

  /** How late the event loop of a limited server has been since this was last asked: milliseconds, 99th percentile. */
  async lag(): Promise<number> {
    this.#asked += 1
    this.program.write('lag\n')
    const told = await this.program.until(/^lag (\S+)/, this.#asked)
    return Number(told.at(-1)?.[1])
  }
}
