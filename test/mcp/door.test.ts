import { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { MINUTE } from '../server/support/clock.ts'
import { World } from '../server/support/world.ts'
import { Host, overHttp } from './host.ts'

const MODERN = { door: 'http', era: 'auto' } as const

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

async function post(world: World, headers: Record<string, string>, body: string = JSON.stringify(list)) {
  const accept = 'application/json, text/event-stream'
  const all = { accept, 'content-type': 'application/json', ...headers }
  const response = await fetch(`${world.url}/mcp`, { method: 'POST', headers: all, body })
  return { status: response.status, text: await response.text() }
}

test('[MCP-7] without a valid token, from a foreign page, too large or no JSON: /mcp refuses like every other door', async () => {
  const world = await World.start()
  const authorization = `Bearer ${await world.token('ann', 'triage')}`
  expect(await post(world, {})).toMatchObject({ status: 401, text: expect.stringContaining('"unauthorized"') })
  expect(await post(world, { authorization: 'Bearer nonsense' })).toMatchObject({ status: 401 })
  const foreign = await post(world, { authorization, origin: 'https://evil.example' })
  expect(foreign).toMatchObject({ status: 403, text: expect.stringContaining('"forbidden"') })
  expect(await post(world, { authorization, origin: world.url })).toMatchObject({ status: 200 })
  expect(await post(world, { authorization }, 'x'.repeat(300_000))).toMatchObject({ status: 413 })
  expect(await post(world, { authorization }, '{')).toMatchObject({ status: 400 })
})

test('[MCP-7] one token gets nothing from the work of another: there is no session to take over', async () => {
  const world = await World.start()
  const [ann, ben] = [
    await Host.connect(world, 'ann', 'triage', MODERN),
    await Host.connect(world, 'ben', 'triage', MODERN),
  ]
  const { data } = await ann.call('start_work', { user: 'u_1', words: 'Help me.' })
  const taken = await ben.call('checkpoint', { work: data['work'], note: 'mine now' })
  expect([taken.isError, taken.text]).toEqual([true, expect.stringMatching(/^(fenced|handoff_unavailable): /)])
})

test('[MCP-8] a stream tells nothing of hidden fields and nothing of users out of reach', async () => {
  const world = await World.start()
  const billing = await Host.connect(world, 'bill', 'billing', MODERN)
  const triage = await world.as('ann', 'triage')
  const heard: string[] = []
  billing.client.setNotificationHandler('notifications/resources/updated', note => void heard.push(note.params.uri))
  const uris = ['selfsame://users/u_1/model', 'selfsame://users/u_2/model', 'selfsame://nowhere']
  await billing.client.listen({ resourceSubscriptions: uris })
  await triage.observe('u_1', { field: 'emotion.state', value: 'angry' })
  await triage.observe('u_1', { field: 'technical.product', value: 'app' })
  await triage.observe('u_2', { field: 'need.issue', value: 'login_fails' })
  await expect.poll(() => heard).toEqual(['selfsame://users/u_2/model'])
})

test('[MCP-9] streams end with their token and are bounded; what is asked in between is served', async () => {
  const world = await World.start({ limits: { tokenCheck: 20 } })
  const token = await world.token('ann', 'triage', MINUTE)
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(overHttp(world.url, token))
  const listen = () => client.listen({ resourceSubscriptions: ['selfsame://users/u_1/model'] })
  const streams = await Promise.all(Array.from({ length: 32 }, listen))
  await expect(listen()).rejects.toThrow()
  expect((await client.listTools()).tools).toHaveLength(12)
  world.clock.advance(2 * MINUTE)
  await Promise.all(streams.map(stream => stream.closed))
  await expect(client.listTools()).rejects.toThrow()
  await client.close()
})
