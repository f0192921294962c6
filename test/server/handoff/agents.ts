import { z } from 'zod'
import type { Caller, Reply } from '../support/caller.ts'
import { World, type WorldOptions } from '../support/world.ts'

const seen = { id: z.string().default(''), state: z.string().default(''), expires: z.number().default(0) }
const section = z.looseObject({ name: z.string(), body: z.unknown().optional() })

/** What tests look into; the rest is there as well, to be matched. */
const shape = z.looseObject({
  ...seen,
  handoff: z.looseObject({ ...seen, epoch: z.number().default(0) }).prefault({}),
  error: z.looseObject({ code: z.string().default('') }).prefault({}),
  envelope: z.looseObject({ sections: z.array(section).default([]), root: z.string().default('') }).prefault({}),
  beliefs: z.record(z.string(), z.unknown()).default({}),
  offers: z.array(z.unknown()).default([]),
  handoffs: z.array(z.unknown()).default([]),
  frames: z.array(z.unknown()).default([]),
  narrative: z.string().default(''),
  allowed: z.boolean().optional(),
  work: z.unknown().optional(),
})

export interface Answer {
  readonly status: number
  readonly text: string
  readonly body: z.infer<typeof shape>
}

const answerOf = ({ status, text }: Reply): Answer => ({ status, text, body: shape.parse(JSON.parse(text)) })

/** Agents over HTTP, as anyone could write them: nothing of ours between the test and the server. */
export class Agents {
  readonly world: World
  readonly #callers = new Map<string, Caller>()

  private constructor(world: World) {
    this.world = world
  }

  static async start(options: WorldOptions = {}): Promise<Agents> {
    return new Agents(await World.start(options))
  }

  /** `ann:triage` is Ann of triage. */
  async caller(name: string): Promise<Caller> {
    const [agent = '', role = ''] = name.split(':')
    const known = this.#callers.get(name)
    if (known?.url === this.world.url) return known
    const caller = await this.world.as(agent, role)
    this.#callers.set(name, caller)
    return caller
  }

  async post(name: string, path: string, body: object = {}): Promise<Answer> {
    return answerOf(await (await this.caller(name)).post(path, body))
  }

  async get(name: string, path: string): Promise<Answer> {
    return answerOf(await (await this.caller(name)).get(path))
  }

  start(name: string, user: string, more: object = {}): Promise<Answer> {
    return this.post(name, `/v1/users/${user}/work`, { intent: 'Help me.', ...more })
  }

  /** Starts work as one agent and hands it to a role. Answers with the ids of both handoffs. */
  async hand(name: string, user: string, to: unknown, more: object = {}): Promise<{ from: string; id: string }> {
    const started = await this.start(name, user)
    const from = started.body.handoff.id
    const { body } = await this.post(name, '/v1/handoffs', { handoff: from, epoch: 1, to, reason: 'yours', ...more })
    if (!body.id) throw new Error(JSON.stringify(body))
    return { from, id: body.id }
  }

  act(name: string, id: string, act: string, body: object = {}): Promise<Answer> {
    return this.post(name, `/v1/handoffs/${id}/${act}`, body)
  }

  async state(id: string): Promise<string> {
    const { body } = await this.get('sue:supervisor', `/v1/handoffs/${id}`)
    return body.handoff.state
  }
}
