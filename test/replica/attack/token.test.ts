import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { Caller } from '../../server/support/caller.ts'
import { HOUR, MINUTE } from '../../server/support/clock.ts'
import { World } from '../../server/support/world.ts'
import { item } from './forgery.ts'
import { Intruder } from './intruder.ts'

const flood = (name: string) => ({
  client: 1,
  structs: Array.from({ length: 4_000 }, (_, i) =>
    item('outbox', `${name}-${i}`, { field: 'need.issue', value: name }),
  ),
})

async function closedFor(end: (world: World, token: string) => Promise<void>): Promise<void> {
  const world = await World.start()
  const token = await world.token('bot', 'triage', HOUR)
  const ann = await world.as('ann', 'supervisor')
  const [gone, stays] = [
    await (await Intruder.opened(world.url, 'u', token)).synced(),
    await (await Intruder.opened(world.url, 'u', await world.token('other', 'triage'))).synced(),
  ]
  const since = performance.now()
  await end(world, token)
  gone.write(flood('late'))
  expect(await gone.closed).toBe(4401)
  expect(performance.now() - since).toBeLessThan(5_000)
  await stays.heardOut()
  expect((await ann.export('u')).evidence, 'written after the end').toEqual([])
  expect(await (await Intruder.opened(world.url, 'u', token)).closed).toBe(4401)
  stays.write({ client: 2, structs: [item('outbox', 'on', { field: 'need.issue', value: 'on' })] })
  expect((await stays.receipt('on')).error).toBeUndefined()
}

test('[REP-44] a replica whose token expires is closed with 4401 within 5 s, and writes nothing after', () =>
  closedFor(async world => world.clock.advance(HOUR + MINUTE)))

test('[REP-45] a replica whose token is revoked is closed with 4401 within 5 s, and writes nothing after', () =>
  closedFor(async (world, token) => {
    const reply = await new Caller(world.url, token).post('/v1/revocations', { token: decodeJwt(token).jti })
    expect(reply.status).toBe(200)
  }))
