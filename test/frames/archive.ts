import { expect } from 'vitest'
import { Agents } from '../server/handoff/agents.ts'
import { MINUTE } from '../server/support/clock.ts'
import { Disk } from '../server/support/disk.ts'

/** A frame as the test knows it: it made the handoff itself. */
export interface Known {
  readonly id: string
  readonly made: number
  readonly agents: readonly string[]
  readonly outcome: string
}

const ROLE: Readonly<Record<string, string>> = { ann: 'triage', ben: 'billing', bob: 'billing', hal: 'human' }

/** Agents on a disk that a test can get at, and what they did with one user. */
export class Shelf {
  readonly disk = new Disk()
  readonly known: Known[] = []
  readonly user = 'u_1'
  #agents: Agents | undefined

  static async start(): Promise<Shelf> {
    const shelf = new Shelf()
    shelf.#agents = await Agents.start({ archive: shelf.disk.archive() })
    return shelf
  }

  get agents(): Agents {
    if (!this.#agents) throw new Error('The shelf was not started.')
    return this.#agents
  }

  /** Changes the store while the server is down, as someone could who has its keys. */
  async tamper(change: (archive: ReturnType<Disk['archive']>) => unknown): Promise<void> {
    await this.agents.world.stop()
    const archive = this.disk.archive()
    await change(archive)
    await archive.close()
    await this.agents.world.restart({ archive: this.disk.archive() })
  }

  /** Ann hands to an agent, who ends it so. */
  async handed(to: string, outcome: 'completed' | 'failed'): Promise<string> {
    const { world } = this.agents
    world.clock.advance(MINUTE)
    const started = world.clock.now()
    const role = ROLE[to] ?? ''
    const { id, from } = await this.agents.hand('ann:triage', this.user, role)
    await this.act(`${to}:${role}`, id, 'accept', {})
    const given = outcome === 'failed' ? { epoch: 1, why: 'no' } : { epoch: 1, result: 1 }
    await this.act(`${to}:${role}`, id, outcome === 'failed' ? 'fail' : 'complete', given)
    this.known.push({ id: from, made: started, agents: ['ann'], outcome: 'passed' })
    this.known.push({ id, made: started, agents: ['ann', to], outcome })
    return id
  }

  async act(name: string, id: string, act: string, body: object): Promise<void> {
    const { status, text } = await this.agents.act(name, id, act, body)
    expect(status, text).toBe(200)
  }

  async frames(query = '', name = 'sue:supervisor') {
    const caller = await this.agents.caller(name)
    return JSON.parse((await caller.get(`/v1/users/${this.user}/frames${query}`)).text)
  }

  async ids(query = '', name = 'sue:supervisor'): Promise<string[]> {
    return (await this.frames(query, name)).frames.map((frame: { handoff: { id: string } }) => frame.handoff.id)
  }
}
