import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { Program } from './program.ts'
import type { Serving } from './serving.ts'

const SCRIPT = fileURLToPath(new URL('./agent.mjs', import.meta.url))

export interface AgentOptions {
  readonly agent: string
  /** Its words are called this and a number. */
  readonly name: string
  readonly users: readonly string[]
  readonly outbox?: string
  /** How much it says before it waits to be told to finish. */
  readonly most?: number
}

/** An agent of the SDK in a process of its own. */
export class Agent {
  readonly program: Program

  constructor(program: Program) {
    this.program = program
  }

  static async start(server: Serving, { agent, ...options }: AgentOptions): Promise<Agent> {
    const token = await server.token(agent)
    const argument = JSON.stringify({ url: server.url, token, ...options })
    const started = new Agent(new Program(process.execPath, [SCRIPT, argument]))
    await started.program.line(/^ready$/)
    return started
  }

  /** What must be there: what was acknowledged, and what a watch has shown. */
  get known(): string[] {
    return this.#told(/^(?:ack|late|seen) \S+ (\S+)$/)
  }

  get acknowledged(): string[] {
    return this.#told(/^(?:ack|late) \S+ (\S+)$/)
  }

  get failures(): string[] {
    return this.#told(/^(failed .*)$/)
  }

  acknowledges(count: number): Promise<unknown> {
    return this.program.until(/^(?:ack|late) /, count)
  }

  /** Lets it settle what is under way, read and end. Answers with the models it read, by user. */
  async finish(): Promise<Map<string, unknown>> {
    this.program.write('finish\n')
    await this.program.line(/^settled$/)
    expect(await this.program.ended, this.program.errors).toMatchObject({ code: 0 })
    const models = this.#told(/^model (.*)$/).map(text => JSON.parse(text))
    return new Map(models.map(model => [model.user, model]))
  }

  #told(pattern: RegExp): string[] {
    return this.program.lines.flatMap(line => pattern.exec(line)?.[1] ?? [])
  }
}
