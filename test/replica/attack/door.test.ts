import { expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { ticket } from '../../server/support/answer.ts'
import { parsed } from '../../server/support/caller.ts'
import { World } from '../../server/support/world.ts'
import { item } from './forgery.ts'
import { Intruder } from './intruder.ts'

const WORD = { field: 'need.issue', value: 'refund_request' }

test('[REP-46] a page of a foreign origin is closed with 4403; a ticket opens a replica, again and again', async () => {
  const world = await World.start({ origins: ['https://desk.example'] })
  const bot = await world.as('bot', 'triage')
  await bot.observe('u', WORD)
  const token = await world.token('bot', 'triage')
  const from = (origin: string) => Intruder.opened(world.url, 'u', token, { headers: { origin } })
  expect(await (await from('https://evil.example')).closed).toBe(4403)
  for (const origin of ['https://desk.example', world.url])
    expect(Object.keys((await (await from(origin)).synced()).evidence)).toHaveLength(1)
  const issued = parsed(ticket, await bot.post('/v1/tickets', {}))
  const provider = new WebsocketProvider(`${world.url.replace('http', 'ws')}/v1/replica`, 'u', new Y.Doc(), {
    WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
    protocols: ['selfsame', issued.ticket],
    disableBc: true,
  })
  for (let i = 0; i < 3; i++) {
    await vi.waitUntil(() => provider.synced, { timeout: 5_000 })
    expect(provider.doc.getMap('evidence').size).toBe(1)
    provider.disconnect()
    provider.connect()
  }
  provider.destroy()
  const guessed = await Intruder.opened(world.url, 'u', undefined, { protocols: ['selfsame', 'guessed'] })
  expect(await guessed.closed).toBe(4401)
})

/** Without a connection that stays, as those count too. */
const metrics = async ({ url }: World): Promise<string> =>
  (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text()

async function connections(world: World): Promise<number> {
  return Number(/^selfsame_connections (\d+)$/m.exec(await metrics(world))?.[1])
}

test('[REP-47] replicas count as connections: of their agent, of all, and for operators', async () => {
  const world = await World.start({ limits: { connections: 4, connectionsPerAgent: 2 } })
  const open = async (agent: string) => Intruder.opened(world.url, 'u', await world.token(agent, 'triage'))
  const mine = [await (await open('bot')).synced(), await (await open('bot')).synced()]
  expect(await (await open('bot')).closed).toBe(4403)
  expect(await connections(world)).toBe(2)
  mine[0]?.write({ client: 1, structs: [item('outbox', 'o', WORD)] })
  await mine[0]?.receipt('o')
  expect(await metrics(world)).toMatch(
    /selfsame_requests_total\{door="replica",operation="observe",role="triage",code="ok"\} 1/,
  )
  for (const agent of ['a', 'b']) await (await open(agent)).synced()
  await expect(open('c')).rejects.toThrow(/503|hang up/)
  mine[0]?.socket.close()
  await mine[0]?.closed
  await vi.waitUntil(async () => (await connections(world)) === 3)
  expect(await (await open('c')).synced()).toMatchObject({ isSynced: true })
})

test('[REP-48] a server that goes down closes replicas with 1001; what it had not receipted is sent again and counts once', async () => {
  const world = await World.start()
  const token = await world.token('bot', 'triage')
  const told = {
    client: 1,
    structs: Array.from({ length: 2_000 }, (_, i) => item('outbox', `o${i}`, { field: 'no.such', value: i })),
  }
  const last = { client: 2, structs: [item('outbox', 'last', WORD)] }
  const before = await (await Intruder.opened(world.url, 'u', token)).synced()
  before.write(told, last)
  await world.stop()
  expect(await before.closed).toBe(1001)
  await world.restart()
  const after = await (await Intruder.opened(world.url, 'u', token)).synced()
  after.write(told, last)
  expect(await after.receipt('last')).toEqual({ status: 'admitted' })
  expect(Object.keys(after.receipts)).toHaveLength(2_001)
  expect((await (await world.as('ann', 'supervisor')).export('u')).evidence).toHaveLength(1)
})
