import { expect, test, vi } from 'vitest'
import { connect } from '../../client/index.ts'
import { strictDesk } from '../../model/sample/strict-desk.ts'
import { Agents } from '../server/handoff/agents.ts'
import { provide } from './provided.ts'

const SAID = [
  { field: 'need.issue', value: 'charge' },
  { field: 'billing.plan', value: 'pro' },
]

/** A supervisor knows two things of a user, and hands the user to billing with sight of some. */
async function handed(fields: readonly string[], ...more: (readonly string[])[]) {
  const agents = await Agents.start({ schema: strictDesk })
  await (await agents.caller('sue:supervisor')).observe('u', ...SAID)
  const ids: string[] = []
  for (const each of [fields, ...more])
    ids.push((await agents.hand('sue:supervisor', 'u', 'billing', { grant: { fields: each } })).id)
  const [first = '', second = ''] = ids
  return { agents, first, second }
}

test('[REP-13] a replica ends with 4403 when the handoff by which its user was reached is over', async () => {
  const { agents, first } = await handed(['**'])
  const before = await provide(agents.world, 'u', 'ben', 'billing')
  await vi.waitUntil(() => before.closures.length > 0)
  expect(before.closures).toEqual([4403])
  await agents.act('ben:billing', first, 'accept')
  const during = await (await provide(agents.world, 'u', 'ben', 'billing')).synced()
  expect(during.words).toHaveLength(2)
  await agents.act('ben:billing', first, 'complete', { epoch: 1 })
  await vi.waitUntil(() => during.closures.length > 0)
  expect(during.closures).toEqual([4403])
})

test('[REP-14] a wider grant sends what is new to a live replica; a narrower one makes it start afresh', async () => {
  const { agents, first, second } = await handed(['need.*'], ['**'])
  await agents.act('ben:billing', first, 'accept')
  const replica = await (await provide(agents.world, 'u', 'ben', 'billing')).synced()
  expect(replica.words).toEqual([['need.issue', 'charge']])
  await agents.act('ben:billing', second, 'accept')
  await vi.waitUntil(() => replica.words.length === 2)
  await agents.act('ben:billing', second, 'complete', { epoch: 1 })
  await vi.waitUntil(() => replica.closures.length > 0)
  expect(replica.closures).toEqual([4409])
})

test('[REP-15] a replica of the SDK starts afresh by itself, and what waited in its outbox goes on waiting', async () => {
  const { agents, first, second } = await handed(['need.*'], ['**'])
  await agents.act('ben:billing', first, 'accept')
  await agents.act('ben:billing', second, 'accept')
  const { world } = agents
  const desk = await connect({ url: world.url, token: await world.token('ben', 'billing') })
  const replica = await desk.user('u').replica()
  expect(replica.fields()).toEqual(['billing.plan', 'need.issue'])
  const completed = agents.act('ben:billing', second, 'complete', { epoch: 1 })
  const written = replica.observe({ 'need.goal': 'money back' })
  await completed
  await vi.waitUntil(() => replica.fields().includes('billing.plan') === false)
  expect(await written).toMatchObject([{ field: 'need.goal', status: 'admitted' }])
  expect(replica.state).toEqual({ name: 'live' })
  expect(replica.get('need.issue')).toMatchObject({ value: 'charge' })
  await replica.close()
  await desk.close()
})
