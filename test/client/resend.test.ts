import { expect, test } from 'vitest'
import { deskAt, scripted } from './desk-at.ts'
import { idsOf } from './scripted-server.ts'

test('[SDK-2] a write whose connection drops before the answer is sent again as it was', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const written = desk.user('u_42').observe({ 'need.issue': 'refund', 'need.urgency': 'high' })
  const first = await peer.asked()
  peer.drop()
  const next = await server.greeted()
  const second = await next.asked()
  expect(second).toEqual({ ...first, id: second.id })
  next.admit(second, 'v7')
  expect(await written).toEqual({
    version: 'v7',
    outcomes: [
      { field: 'need.issue', id: idsOf(first)[0], status: 'admitted' },
      { field: 'need.urgency', id: idsOf(first)[1], status: 'admitted' },
    ],
  })
})

test('[SDK-2] a write that was answered is not sent again', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  const first = user.observe({ 'need.issue': 'refund' })
  peer.admit(await peer.asked())
  await first
  peer.drop()
  const next = await server.greeted()
  const second = user.observe({ 'need.issue': 'login' })
  const asked = await next.asked()
  expect(asked.observations).toMatchObject([{ value: 'login' }])
  next.admit(asked)
  await second
  expect(next.unread).toBe(0)
})

test('[SDK-2] what the server did but could not say is settled by the second answer, an echo included', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const written = desk.user('u_42').observe({ 'need.issue': 'refund' })
  const [id] = idsOf(await peer.asked())
  peer.drop()
  const next = await server.greeted()
  next.answer(await next.asked(), { version: 'v2', outcomes: [{ id, status: 'echo' }] })
  expect((await written).outcomes).toEqual([{ field: 'need.issue', id, status: 'echo' }])
})

test('[SDK-3] after a reconnect all open writes go out again in order, before new ones', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  const names = ['a', 'b', 'c', 'd']
  const written = names.map(name => user.observe({ 'need.issue': name }))
  const sent = [await peer.asked(), await peer.asked(), await peer.asked(), await peer.asked()]
  const [, b] = sent
  if (b) peer.admit(b)
  await written[1]
  peer.drop()
  const offline = user.observe({ 'need.issue': 'e' })
  const next = await server.greeted()
  const again = [await next.asked(), await next.asked(), await next.asked(), await next.asked()]
  const values = again.flatMap(asked => asked.observations?.map(said => Reflect.get(said, 'value')))
  expect(values).toEqual(['a', 'c', 'd', 'e'])
  for (const asked of again) next.admit(asked)
  await Promise.all([...written, offline])
})

test('[SDK-4] a refusal of the moment keeps the write and sends it again', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const written = desk.user('u_42').observe({ 'need.issue': 'refund' })
  const ids = idsOf(await refuseFirst('rate_limited'))
  await refuseFirst('overloaded')
  await refuseFirst('stopped')
  const last = await peer.asked()
  expect(idsOf(last)).toEqual(ids)
  peer.admit(last)
  await written

  async function refuseFirst(code: 'rate_limited' | 'overloaded' | 'stopped') {
    const asked = await peer.asked()
    peer.refuse(asked, code)
    return asked
  }
})

test('[SDK-5] every observation has an id and a time by the server clock before it is first sent', async () => {
  const server = await scripted()
  const time = Date.now() - 86_400_000
  const { desk, peer } = await deskAt(server, { greeting: { time } })
  const before = performance.now()
  const written = desk.user('u_42').observe([
    { field: 'need.issue', value: 'refund' },
    { field: 'need.goal', value: 'money back', at: 5, id: 'mine' },
  ])
  const asked = await peer.asked()
  const [first, second] = asked.observations ?? []
  expect(first?.id).toMatch(/^[0-9a-f]{32}$/)
  expect(first?.at).toBeGreaterThanOrEqual(time)
  expect(first?.at).toBeLessThanOrEqual(time + Math.ceil(performance.now() - before) + 1_000)
  expect(second).toMatchObject({ id: 'mine', at: 5 })
  peer.admit(asked)
  await written
})

test('[SDK-5] a clock of this machine that is set forward later does not move the time of what is said', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server, { greeting: { time: 1_000_000 } })
  const written = desk.user('u_42').observe({ 'need.issue': 'refund' })
  const asked = await peer.asked()
  // Date.now() is far ahead of 1,000,000: only what has passed since hello may have been added.
  expect(asked.observations?.[0]?.at).toBeLessThan(1_000_000 + 60_000)
  peer.admit(asked)
  await written
})
