import { expect, vi } from 'vitest'
import type { Limits } from '../../../server/limits.ts'
import { underAttack } from '../../server/hostile/attack.ts'
import { Peer } from '../../server/hostile/peer.ts'
import { Serving } from '../../server/process/serving.ts'
import { Provided } from '../provided.ts'
import { Intruder } from './intruder.ts'

const USER = 'u_victim'
const QUICK = { requestsPerSecond: 100_000, requestBurst: 100_000 }

/** A server with a user of whom something is known, and an honest replica of it by an unmodified client. */
export class Victim {
  readonly server: Serving
  readonly honest: Peer
  readonly replica: Provided
  readonly #person: Peer
  #words = 0

  private constructor(server: Serving, honest: Peer, person: Peer, replica: Provided) {
    this.#person = person
    this.server = server
    this.honest = honest
    this.replica = replica
  }

  static async start(limits: Partial<Limits> = {}): Promise<Victim> {
    const server = await Serving.limited({ ...QUICK, ...limits })
    const honest = await Peer.connect(server, 'honest')
    await honest.observe(USER, 'refund_request')
    await honest.ask('observe', { user: USER, observations: [{ field: 'emotion.state', value: 'frustrated' }] })
    const replica = new Provided(server, USER, await server.token('witness'))
    return new Victim(server, honest, await Peer.connect(server, 'ann', 'supervisor'), await replica.synced())
  }

  async opened(agent = 'mallory', user = USER): Promise<Intruder> {
    return Intruder.opened(this.server.url, user, await this.server.token(agent))
  }

  async intruder(agent = 'mallory', user = USER): Promise<Intruder> {
    return (await this.opened(agent, user)).synced()
  }

  /** Repeats an attack, under which others are served, and after which everything is as it was and goes on. */
  async unharmed(attack: (round: number) => Promise<void>): Promise<void> {
    const before = await this.#picture()
    await underAttack(this.server, attack)
    expect(await this.#picture()).toEqual(before)
    await this.goesOn()
  }

  async goesOn(): Promise<void> {
    const value = `word-${this.#words++}`
    expect(await this.honest.observe(USER, value)).toMatchObject({ ok: { outcomes: [{ status: 'admitted' }] } })
    await vi.waitUntil(() => this.replica.words.some(([, said]) => said === value), { timeout: 10_000 })
    expect(this.replica.closures).toEqual([])
  }

  /** All that anybody can see of the user: what is kept, what the honest replica holds, and what a new one is sent. */
  async #picture(): Promise<unknown> {
    const fresh = await this.intruder('fresh')
    const { evidence } = fresh
    fresh.socket.close()
    const exported = await this.#person.ask('export', { user: USER })
    expect(exported).toHaveProperty('ok.evidence')
    // To look is noted in the audit, which is all that this look changes.
    const { audit: _, ...kept } = exported.ok as { readonly audit?: unknown }
    return { kept, held: this.replica.evidence, sent: evidence }
  }
}
