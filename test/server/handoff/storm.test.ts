import { expect, test } from 'vitest'
import { HOUR } from '../support/clock.ts'
import { Agents } from './agents.ts'

test('[HAND-28] a storm of retries stays within its bounds: each offer reaches few agents, few times, then is parked', async () => {
  const limits = { handoffCheck: 5, attempts: 2, offersAtOnce: 2 }
  const agents = await Agents.start({ limits, chance: () => 0 })
  const sockets = await Promise.all(Array.from({ length: 6 }, (_, i) => agents.world.socket(`b${i}`, 'billing')))
  const ids: string[] = []
  for (let i = 0; i < 20; i++) ids.push((await agents.hand('ann:triage', `u_${i}`, 'billing')).id)
  agents.world.clock.advance(HOUR)
  const again = async () => (await agents.get('new:billing', '/v1/handoffs')).text.split('"attempt":2').length - 1
  await expect.poll(again).toBe(ids.length)
  agents.world.clock.advance(HOUR)
  const parked = async () => (await agents.get('sue:supervisor', '/v1/handoffs?state=parked')).body.handoffs.length
  await expect.poll(parked).toBe(ids.length)
  const pushed = sockets.flatMap(({ texts }) => texts.filter(text => text.startsWith('{"offer"')))
  expect(pushed.length).toBeLessThanOrEqual(20 * limits.attempts * limits.offersAtOnce)
  const told = sockets.map(({ texts }) => texts.filter(text => text.startsWith('{"offer"')).length)
  expect(Math.min(...told)).toBeGreaterThan(0)
})
