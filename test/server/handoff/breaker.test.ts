import { expect, test } from 'vitest'
import { HOUR, SECOND } from '../support/clock.ts'
import type { RawSocket } from '../support/raw-socket.ts'
import { Agents } from './agents.ts'

const LIMITS = { handoffCheck: 5, attempts: 1, offersReleased: 50, requestsPerSecond: 20_000, requestBurst: 20_000 }
const MANY = 1_000

const offersAt = ({ texts }: RawSocket): string[] =>
  texts.filter(text => text.startsWith('{"offer"')).map(text => JSON.parse(text).offer.id)

/** Three that nobody of billing answers. */
async function unanswered(agents: Agents): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.push((await agents.hand('ann:triage', `u_lost_${i}`, 'billing')).id)
  agents.world.clock.advance(HOUR)
  for (const id of ids) await expect.poll(() => agents.state(id)).toBe('parked')
  return ids
}

test('[FLEET-16] while nobody of a target answers, work goes to the alternative at once, or is held; a probe that is answered lets all of it flow, each once', async () => {
  const agents = await Agents.start({ limits: LIMITS, chance: () => 0 })
  await unanswered(agents)
  const other = await agents.hand('ann:triage', 'u_other', 'billing', { alternatives: ['human'] })
  const seen = await agents.get('sue:supervisor', `/v1/handoffs/${other.id}`)
  expect(seen.body.handoff).toMatchObject({ state: 'offered', to: { role: 'human' } })
  expect(JSON.stringify(seen.body['events'])).toContain('avoided')
  const hands = Array.from({ length: MANY }, (_, i) => agents.hand(`ann${i % 4}:triage`, `u_${i}`, 'billing'))
  const ids = (await Promise.all(hands)).map(({ id }) => id)
  const ben = await agents.world.socket('ben', 'billing')
  await ben.ask('handoffs', { state: 'parked' })
  expect(offersAt(ben)).toEqual([])
  agents.world.clock.advance(16 * SECOND)
  await expect.poll(() => offersAt(ben).length).toBe(1)
  for (let i = 0; i < 5; i++) await ben.ask('handoffs', { state: 'parked' })
  const [probe = ''] = offersAt(ben)
  expect(offersAt(ben)).toEqual([probe])
  expect(await ben.ask('accept', { handoff: probe })).toHaveProperty('ok')
  await expect.poll(() => new Set(offersAt(ben)).size, { timeout: 20_000 }).toBe(MANY)
  expect(offersAt(ben).sort()).toEqual([...ids].sort())
}, 60_000)

test('[FLEET-17] a person replays all that is parked of a target at once; asking again changes nothing, and each has the reason why it was parked', async () => {
  const agents = await Agents.start({ limits: { ...LIMITS, breakerFailures: 9 }, chance: () => 0 })
  const ids = await unanswered(agents)
  const parked = await agents.get('sue:supervisor', '/v1/handoffs?state=parked')
  expect(parked.body.handoffs).toMatchObject(ids.map(() => ({ why: 'unanswered' })))
  const replay = async (name: string, more: object) => (await agents.post(name, '/v1/handoffs/replay', more)).body
  expect((await replay('ben:billing', {})).error.code).toBe('forbidden')
  expect(await replay('sue:supervisor', { target: 'tech' })).toMatchObject({ replayed: [], next: null })
  expect(await replay('sue:supervisor', { target: 'billing', limit: 2 })).toMatchObject({ next: 'more' })
  const ben = await agents.world.socket('ben', 'billing')
  expect(await replay('sue:supervisor', { target: 'billing', why: 'unanswered' })).toMatchObject({ next: null })
  expect(await replay('sue:supervisor', { target: 'billing' })).toMatchObject({ replayed: [], next: null })
  await expect.poll(() => new Set(offersAt(ben)).size).toBe(3)
  for (const id of ids) expect((await agents.act('ben:billing', id, 'accept')).status).toBe(200)
  for (const id of ids) await agents.act('ben:billing', id, 'fail', { epoch: 1, why: 'no' })
  const failed = await replay('sue:supervisor', { state: 'failed', target: 'billing' })
  expect(failed).toMatchObject({ next: null })
  expect([...(failed['replayed'] as string[])].sort()).toEqual([...ids].sort())
})
