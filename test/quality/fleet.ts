import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect } from 'vitest'
import { z } from 'zod'
import { Agents, type Answer } from '../server/handoff/agents.ts'
import { MINUTE, SECOND } from '../server/support/clock.ts'
import type { WorldOptions } from '../server/support/world.ts'

/** What a test did by itself, counted by hand as it did it: nothing here comes from what the server counts. */
export class Ledger {
  readonly counts: Record<string, number> = {}
  readonly latencies: number[] = []
  readonly completeness: number[] = []
  readonly hops: number[] = []
  readonly tokens: number[] = []

  add(...names: readonly string[]): void {
    for (const name of names) this.counts[name] = (this.counts[name] ?? 0) + 1
  }
}

const delivered = z.looseObject({
  completeness: z.number(),
  handoff: z.looseObject({ epoch: z.number(), hop: z.number() }),
})

export interface Handing {
  /** Milliseconds until it is accepted. */
  readonly after?: number
  /** Whether the sender points to something that nobody knows. */
  readonly isGappy?: boolean
  readonly tokens?: number
  /** Milliseconds that the sender stays to be asked. */
  readonly overlap?: number
}

/** Agents that hand users to each other, and keep their own count of it by the role that is offered the work. */
export class Fleet {
  readonly agents: Agents
  readonly ledgers = new Map<string, Ledger>()
  #users = 0

  private constructor(agents: Agents) {
    this.agents = agents
  }

  static async start(options: WorldOptions = {}): Promise<Fleet> {
    const limits = { handoffCheck: 5, attempts: 2, ...options.limits }
    return new Fleet(await Agents.start({ chance: () => 0, ...options, limits }))
  }

  of(role: string): Ledger {
    const ledger = this.ledgers.get(role) ?? new Ledger()
    this.ledgers.set(role, ledger)
    return ledger
  }

  advance(milliseconds: number): void {
    this.agents.world.clock.advance(milliseconds)
  }

  async stats(query = '', name = 'sue:supervisor') {
    const reply = await (await this.agents.caller(name)).get(`/v1/handoffs/stats${query}`)
    return JSON.parse(reply.text)
  }

  /** Offers one more user to billing. */
  async offer({ isGappy = false, tokens, overlap }: Handing = {}): Promise<{ id: string; user: string }> {
    const user = `u_${++this.#users}`
    const ann = await this.agents.caller('ann:triage')
    await ann.observe(user, { field: 'need.issue', value: 'charge', basis: 'heard' })
    const refs = ['need.issue', ...(isGappy ? ['need.deadline'] : [])]
    const more = {
      refs,
      acknowledge: 10 * SECOND,
      ...(tokens !== undefined && { tokens }),
      ...(overlap !== undefined && { overlap }),
    }
    const { id } = await this.agents.hand('ann:triage', user, 'billing', more)
    this.of('billing').add('offered')
    return { id, user }
  }

  /** Accepts after a while, and notes what that was like. */
  async accept(name: string, id: string, { after = 0, isGappy = false, tokens }: Handing = {}): Promise<number> {
    this.advance(after)
    const { status, body, text } = await this.agents.act(name, id, 'accept')
    expect(status, text).toBe(200)
    const ledger = this.of(name.split(':')[1] ?? '')
    const { handoff } = delivered.parse(body)
    ledger.add('accepted')
    ledger.latencies.push(after)
    ledger.completeness.push(isGappy ? 0.5 : 1)
    ledger.hops.push(handoff.hop)
    if (tokens !== undefined) ledger.tokens.push(countTokens(body.narrative))
    return handoff.epoch
  }

  async end(name: string, id: string, act: string, more: object = {}): Promise<Answer> {
    const answer = await this.agents.act(name, id, act, { epoch: 1, ...more })
    expect(answer.status, answer.text).toBe(200)
    return answer
  }

  async completed(handing: Handing = {}): Promise<void> {
    const { id } = await this.offer(handing)
    const epoch = await this.accept('ben:billing', id, handing)
    await this.end('ben:billing', id, 'complete', { epoch, result: 1 })
    this.of('billing').add('completed')
  }

  async failed(handing: Handing = {}): Promise<void> {
    const { id } = await this.offer(handing)
    const epoch = await this.accept('ben:billing', id, handing)
    await this.end('ben:billing', id, 'fail', { epoch, why: 'no' })
    this.of('billing').add('failed')
  }

  /** Handed back to triage, which then completes it. */
  async returned(handing: Handing = {}): Promise<void> {
    const { id } = await this.offer(handing)
    const epoch = await this.accept('ben:billing', id, handing)
    const back = (await this.end('ben:billing', id, 'return', { epoch, why: 'yours' })).body.id
    this.of('billing').add('returned')
    this.of('triage').add('offered')
    await this.accept('ann:triage', back, { after: 7 * SECOND })
    await this.end('ann:triage', back, 'complete', { result: 1 })
    this.of('triage').add('completed')
  }

  /** Billing hands on to tech, which completes it. */
  async passed(handing: Handing = {}): Promise<void> {
    const { id } = await this.offer(handing)
    const epoch = await this.accept('ben:billing', id, handing)
    const { body } = await this.agents.post('ben:billing', '/v1/handoffs', {
      handoff: id,
      epoch,
      to: 'tech',
      reason: 'bug',
    })
    this.of('tech').add('offered')
    await this.accept('tom:tech', body.id, { after: 3 * SECOND })
    this.of('billing').add('passed')
    await this.end('tom:tech', body.id, 'complete', { result: 1 })
    this.of('tech').add('completed')
  }

  /** The holder vanishes, and another completes it. */
  async lapsed(handing: Handing = {}): Promise<void> {
    const { id } = await this.offer(handing)
    await this.accept('ben:billing', id, handing)
    this.advance(61 * SECOND)
    await expect.poll(() => this.agents.state(id)).toBe('offered')
    this.of('billing').add('lapsed')
    this.of('billing').add('offered')
    const epoch = await this.accept('bob:billing', id, { ...handing, after: 2 * SECOND })
    await this.end('bob:billing', id, 'complete', { epoch, result: 1 })
    this.of('billing').add('completed')
  }

  async unanswered(handing: Handing = {}): Promise<void> {
    const { id } = await this.offer(handing)
    const attempt = async () => (await this.agents.get('ben:billing', '/v1/handoffs')).body.offers
    this.advance(MINUTE)
    await expect.poll(attempt).toMatchObject([{ id, attempt: 2 }])
    this.advance(MINUTE)
    await expect.poll(() => this.agents.state(id)).toBe('parked')
    this.of('billing').add('exhausted', 'parked')
  }

  async declined(handing: Handing = {}): Promise<void> {
    const { id } = await this.offer(handing)
    await this.end('bea:billing', id, 'decline', { why: 'busy', epoch: undefined })
    this.of('billing').add('declined')
    const epoch = await this.accept('ben:billing', id, handing)
    await this.end('ben:billing', id, 'complete', { epoch, result: 1 })
    this.of('billing').add('completed')
  }

  /** Taken back by its sender before anyone had it: nobody failed. */
  async withdrawn(handing: Handing = {}): Promise<void> {
    const { id } = await this.offer(handing)
    await this.end('ann:triage', id, 'revoke', { why: 'mistake', epoch: undefined })
  }
}

/** The smallest of these that a share of them is not above. */
export function exactQuantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
