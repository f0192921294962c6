import { expect, test } from 'vitest'
import { strictDesk } from '../../../model/sample/strict-desk.ts'
import { provide } from '../../replica/provided.ts'
import { HOUR, MINUTE } from '../support/clock.ts'
import { Agents } from './agents.ts'

const DAY = 24 * HOUR

test('[HAND-30] a role that reaches only what it is assigned reaches a user from accept to the end, and not a moment longer', async () => {
  const agents = await Agents.start({ schema: strictDesk })
  const ben = await agents.caller('ben:billing')
  const read = async () => (await ben.get('/v1/users/u_1/model')).status
  const { id } = await agents.hand('sue:supervisor', 'u_1', 'billing')
  expect(await read()).toBe(404)
  await agents.act('ben:billing', id, 'accept', { lease: MINUTE })
  expect(await read()).toBe(200)
  agents.world.clock.advance(MINUTE)
  expect(await read()).toBe(404)
  await agents.act('ben:billing', id, 'accept', { request: 'again' })
  expect(await read()).toBe(200)
  await agents.act('ben:billing', id, 'complete', { epoch: 2 })
  expect(await read()).toBe(404)
})

test('[HAND-31] a grant narrows what its holder may read and write, and says what it may do', async () => {
  const agents = await Agents.start({ schema: strictDesk })
  const sue = await agents.caller('sue:supervisor')
  await sue.observe('u_1', { field: 'need.issue', value: 'charge' }, { field: 'billing.plan', value: 'pro' })
  const grant = { fields: ['need.*'], actions: { refund: { amount: { max: 50 } } }, principal: 'acme' }
  const { id } = await agents.hand('sue:supervisor', 'u_1', 'billing', { grant })
  const { body } = await agents.act('ben:billing', id, 'accept')
  expect(Object.keys(body.beliefs)).toEqual(['need.issue'])
  expect(Object.keys((await agents.get('ben:billing', '/v1/users/u_1/model')).body.beliefs)).toEqual(['need.issue'])
  const observations = [{ field: 'billing.plan', value: 'free' }]
  expect(
    JSON.stringify((await agents.post('ben:billing', '/v1/users/u_1/observations', { observations })).body),
  ).toContain('field_unavailable')
  const may = async (amount: number) =>
    (await agents.act('ben:billing', id, 'may', { epoch: 1, action: 'refund', parameters: { amount } })).body.allowed
  expect([await may(50), await may(51)]).toEqual([true, false])
  expect((await agents.act('ben:billing', id, 'may', { epoch: 1, action: 'change_plan' })).body.allowed).toBe(false)
})

test('[HAND-32] a grant ends no later than its sender’s, also when it is handed to oneself, and what was held is parked then', async () => {
  const agents = await Agents.start({ limits: { handoffCheck: 5 } })
  const started = await agents.start('hal:human', 'u_1', { grant: { ttl: HOUR }, lease: DAY })
  const ends = started.body.handoff.expires
  const own = await agents.post('hal:human', '/v1/handoffs', {
    handoff: started.body.handoff.id,
    epoch: 1,
    to: 'human',
    reason: 'x',
    grant: { ttl: 5 * HOUR },
  })
  expect(own.body.expires).toBe(ends)
  await agents.act('hal:human', own.body.id, 'accept', { lease: DAY })
  agents.world.clock.advance(HOUR)
  expect((await agents.act('hal:human', own.body.id, 'renew', { epoch: 1 })).body.error.code).toBe('fenced')
  await expect.poll(() => agents.state(own.body.id)).toBe('parked')
})

test('[HAND-33] revoking ends authority at once, on open sockets too: watches end, and a person has to look', async () => {
  const agents = await Agents.start({ schema: strictDesk })
  const { id } = await agents.hand('sue:supervisor', 'u_1', 'billing')
  const socket = await agents.world.socket('ben', 'billing')
  expect(await socket.ask('accept', { handoff: id })).toMatchObject({ ok: { user: 'u_1' } })
  const watch = socket.send('watch', { user: 'u_1', fields: ['**'] })
  await socket.frame(frame => frame.id === watch)
  await agents.act('sue:supervisor', id, 'revoke', { why: 'the wrong person' })
  expect(await socket.frame(frame => frame.watch === watch)).toMatchObject({ ended: { code: 'user_unavailable' } })
  expect(await socket.ask('model', { user: 'u_1' })).toMatchObject({ error: { code: 'user_unavailable' } })
  expect(await agents.state(id)).toBe('parked')
})

test('[HAND-34] a watch goes on within what may still be read when a grant gives less', async () => {
  const agents = await Agents.start({ schema: strictDesk })
  const sue = await agents.caller('sue:supervisor')
  const wide = await agents.hand('sue:supervisor', 'u_1', 'billing')
  const narrow = await agents.hand('sue:supervisor', 'u_1', 'billing', { grant: { fields: ['need.*'] } })
  const socket = await agents.world.socket('ben', 'billing')
  await socket.ask('accept', { handoff: wide.id })
  const watch = socket.send('watch', { user: 'u_1', fields: ['**'] })
  await socket.frame(frame => frame.id === watch)
  await socket.ask('accept', { handoff: narrow.id })
  await socket.ask('complete', { handoff: wide.id, epoch: 1 })
  expect(await socket.frame(frame => frame.watch === watch)).toMatchObject({ resync: true })
  await sue.observe('u_1', { field: 'billing.plan', value: 'pro' }, { field: 'need.issue', value: 'charge' })
  const change = await socket.frame(frame => frame.watch === watch && 'beliefs' in frame)
  expect(Object.keys(change['beliefs'] as object)).toEqual(['need.issue'])
})

test('[HAND-35] work is handed only to roles that the sender’s role hands to', async () => {
  const agents = await Agents.start()
  const { body } = await agents.start('ben:billing', 'u_1')
  const to = async (role: string) =>
    (await agents.post('ben:billing', '/v1/handoffs', { handoff: body.handoff.id, epoch: 1, to: role, reason: 'x' }))
      .body
  expect((await to('triage')).error.code).toBe('forbidden')
  expect((await to('nobody')).error.code).toBe('unknown_role')
  expect((await to('tech')).state).toBe('offered')
})

test('[HAND-36] what its sender takes back before anyone accepted is the sender’s again', async () => {
  const agents = await Agents.start()
  const { id, from } = await agents.hand('ann:triage', 'u_1', 'billing')
  expect((await agents.act('tim:tech', id, 'revoke', { why: 'x' })).status).toBe(403)
  expect((await agents.act('ann:triage', id, 'revoke', { why: 'solved' })).body.state).toBe('failed')
  expect(await agents.state(from)).toBe('accepted')
  expect((await agents.act('ben:billing', id, 'accept')).body.error.code).toBe('bad_state')
  expect((await agents.act('ann:triage', from, 'complete', { epoch: 1 })).body.state).toBe('completed')
})

test('[HAND-37] handoffs of a user and of an agent are bounded, and an unknown one looks like one of others', async () => {
  const agents = await Agents.start({ limits: { openHandoffsPerUser: 2 } })
  await agents.start('ann:triage', 'u_1')
  await agents.start('ann:triage', 'u_1')
  expect((await agents.start('ann:triage', 'u_1')).body.error.code).toBe('quota_exceeded')
  const { id } = await agents.hand('hal:human', 'u_2', 'human')
  const strict = await Agents.start({ schema: strictDesk })
  const other = await strict.hand('sue:supervisor', 'u_2', 'human')
  for (const unknown of ['h_none', other.id])
    expect((await strict.get('ben:billing', `/v1/handoffs/${unknown}`)).body.error.code).toBe('handoff_unavailable')
  expect((await agents.get('ann:triage', `/v1/handoffs/${id}`)).status).toBe(200)
})

test('[HAND-38] a live replica is there while its agent holds the user, and ends when the lease does', async () => {
  const agents = await Agents.start({ schema: strictDesk, limits: { handoffCheck: 5 } })
  const sue = await agents.caller('sue:supervisor')
  await sue.observe('u_1', { field: 'need.issue', value: 'charge' }, { field: 'billing.plan', value: 'pro' })
  const { id } = await agents.hand('sue:supervisor', 'u_1', 'billing', { grant: { fields: ['need.*'] } })
  await agents.act('ben:billing', id, 'accept', { lease: MINUTE })
  const replica = await (await provide(agents.world, 'u_1', 'ben', 'billing')).synced()
  expect(replica.words).toEqual([['need.issue', 'charge']])
  agents.world.clock.advance(MINUTE)
  await expect.poll(() => replica.closures).toContain(4403)
  await sue.observe('u_1', { field: 'need.goal', value: 'after the end' })
  expect(replica.words).toEqual([['need.issue', 'charge']])
})
