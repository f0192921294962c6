import { expect, test } from 'vitest'
import { ticket } from '../support/answer.ts'
import { parsed, refusalOf } from '../support/caller.ts'
import { DAY, SECOND } from '../support/clock.ts'
import { World } from '../support/world.ts'

test('[ACC-40] a browser comes in by a ticket as second subprotocol, again and again until its token ends', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  const issued = parsed(ticket, await bot.post('/v1/tickets', {}))
  for (let i = 0; i < 3; i++) {
    const socket = await world.open({ protocols: ['selfsame', issued.ticket] })
    expect(await socket.hello()).toMatchObject({ hello: { agent: 'bot', role: 'triage', expires: issued.expires } })
    expect(socket.protocol).toBe('selfsame')
    await socket.close()
  }
  for (const protocols of [['selfsame'], ['selfsame', 'x'.repeat(32)], [issued.ticket], [issued.ticket, 'selfsame']]) {
    const socket = await world.open({ protocols }).catch(() => undefined)
    if (socket) expect((await socket.closed).code).toBe(4401)
  }
  world.clock.advance(7 * DAY)
  const late = await world.open({ protocols: ['selfsame', issued.ticket] })
  expect((await late.closed).code).toBe(4401)
})

test('[ACC-41] a page of a foreign origin is turned away, one of the own host or on the list is not', async () => {
  const world = await World.start({ origins: ['https://desk.example'] })
  const token = await world.token('bot', 'triage')
  const { host } = new URL(world.url)
  for (const origin of [
    'https://evil.example',
    'https://desk.example.evil.example',
    'null',
    `http://${host}.evil.example`,
  ]) {
    const socket = await world.open({ token, headers: { origin } })
    expect([origin, (await socket.closed).code]).toEqual([origin, 4403])
    expect(socket.texts).toEqual([])
  }
  for (const origin of ['https://desk.example', `http://${host}`, undefined]) {
    const socket = await world.open({ token, headers: origin === undefined ? {} : { origin } })
    expect(await socket.hello()).toHaveProperty('hello')
  }
})

test('[ACC-42] scripts of a listed origin may call over HTTP, others get no leave', async () => {
  const world = await World.start({ origins: ['https://desk.example'] })
  const bot = await world.as('bot', 'triage')
  const allowed = async (origin: string) =>
    (await bot.call('GET', '/v1/schema', undefined, { origin })).headers.get('access-control-allow-origin')
  expect(await allowed('https://desk.example')).toBe('https://desk.example')
  expect(await allowed('https://evil.example')).toBeNull()
})

test('[ACC-43] an agent that asks more often than it may is refused until it has waited, others are not', async () => {
  const world = await World.start({ limits: { requestsPerSecond: 2, requestBurst: 3 } })
  const [bot, tom] = [await world.as('bot', 'triage'), await world.as('tom', 'tech')]
  for (let i = 0; i < 3; i++) expect((await bot.get('/v1/schema')).status).toBe(200)
  const reply = await bot.get('/v1/schema')
  expect(refusalOf(reply)).toEqual([429, 'rate_limited'])
  expect(reply.text).toContain('500 ms')
  const socket = await world.socket('bot', 'triage')
  expect(await socket.ask('schema', {})).toMatchObject({ error: { code: 'rate_limited' } })
  expect((await tom.get('/v1/schema')).status).toBe(200)
  world.clock.advance(SECOND)
  expect(await socket.ask('schema', {})).toHaveProperty('ok')
  expect((await bot.get('/v1/schema')).status).toBe(200)
  expect((await bot.get('/v1/schema')).status).toBe(429)
})

test('[ACC-44] an agent holds so many connections and no more; one that ends makes room for another', async () => {
  const world = await World.start({ limits: { connectionsPerAgent: 2 } })
  const [first] = [await world.socket('bot', 'triage'), await world.socket('bot', 'triage')]
  const third = await world.open({ token: await world.token('bot', 'triage') })
  expect((await third.closed).code).toBe(4403)
  await world.socket('tom', 'tech')
  await first.close()
  const connections = async () =>
    /^selfsame_connections (\d+)$/m.exec(await (await fetch(`${world.url}/metrics`)).text())?.[1]
  await expect.poll(connections).toBe('2')
  await world.socket('bot', 'triage')
})
