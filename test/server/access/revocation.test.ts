import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { ticket } from '../support/answer.ts'
import { Caller, parsed, refusalOf } from '../support/caller.ts'
import { SECOND } from '../support/clock.ts'
import { vault } from '../support/vault.ts'
import { World } from '../support/world.ts'

const idOf = (token: string): string => decodeJwt(token).jti ?? ''

async function desk() {
  const world = await World.start({ schema: vault })
  const [first, second] = [await world.token('bot', 'reader'), await world.token('bot', 'reader')]
  return { world, first, second, warden: await world.as('warden', 'warden') }
}

const status = async (world: World, token: string) => (await new Caller(world.url, token).get('/v1/schema')).status

test('[ACC-30] a revoked token is refused over HTTP at once and cut off open sockets within 5 s', async () => {
  const { world, first, second, warden } = await desk()
  const [gone, stays] = [await world.open({ token: first }), await world.open({ token: second })]
  await Promise.all([gone.hello(), stays.hello()])
  const since = performance.now()
  expect((await warden.post('/v1/revocations', { token: idOf(first) })).status).toBe(200)
  expect(await status(world, first)).toBe(401)
  expect((await gone.closed).code).toBe(4401)
  expect(performance.now() - since).toBeLessThan(5_000)
  expect((await (await world.open({ token: first })).closed).code).toBe(4401)
  expect(await status(world, second)).toBe(200)
  expect(await stays.ask('schema', {})).toHaveProperty('ok')
})

test('[ACC-31] revoking an agent ends every token it had, and none it gets later', async () => {
  const { world, first, second, warden } = await desk()
  const socket = await world.open({ token: first })
  await socket.hello()
  await warden.post('/v1/revocations', { agent: 'bot' })
  expect([await status(world, first), await status(world, second)]).toEqual([401, 401])
  expect((await socket.closed).code).toBe(4401)
  world.clock.advance(SECOND)
  expect(await status(world, await world.token('bot', 'reader'))).toBe(200)
  expect(await status(world, await world.token('another', 'reader'))).toBe(200)
})

test('[ACC-32] revocations survive a restart', async () => {
  const { world, first, second, warden } = await desk()
  const third = await world.token('tom', 'reader')
  await Promise.all([
    warden.post('/v1/revocations', { token: idOf(first) }),
    warden.post('/v1/revocations', { agent: 'tom' }),
  ])
  await world.restart()
  expect([await status(world, first), await status(world, second), await status(world, third)]).toEqual([401, 200, 401])
})

test("[ACC-33] anyone ends their own tokens; others' only a role with the action does", async () => {
  const { world, first, second } = await desk()
  const bot = new Caller(world.url, first)
  for (const other of [{ token: idOf(second) }, { agent: 'tom' }, { token: idOf(first), agent: 'tom' }])
    expect(refusalOf(await bot.post('/v1/revocations', other))).toEqual([403, 'forbidden'])
  const person = await world.as('ann', 'person')
  expect(refusalOf(await person.post('/v1/revocations', { agent: 'bot' }))).toEqual([403, 'forbidden'])
  expect(refusalOf(await bot.post('/v1/revocations', {}))).toEqual([400, 'bad_request'])
  expect((await bot.post('/v1/revocations', { token: idOf(first) })).status).toBe(200)
  expect([await status(world, first), await status(world, second)]).toEqual([401, 200])
  expect((await new Caller(world.url, second).post('/v1/revocations', { agent: 'bot' })).status).toBe(200)
  expect(await status(world, second)).toBe(401)
})

test('[ACC-34] a ticket ends with the token it was issued for', async () => {
  const { world, first, warden } = await desk()
  const issued = parsed(ticket, await new Caller(world.url, first).post('/v1/tickets', {}))
  await warden.post('/v1/revocations', { token: idOf(first) })
  const socket = await world.open({ protocols: ['selfsame', issued.ticket] })
  expect((await socket.closed).code).toBe(4401)
})
