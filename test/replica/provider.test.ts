import { expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { World } from '../server/support/world.ts'
import { Provided, provide } from './provided.ts'

const ISSUE = { field: 'need.issue', value: 'refund_request', confidence: 0.9 }

test('[REP-1] an unmodified y-websocket client is sent what was written before and what is written later', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  await bot.observe('u', ISSUE)
  const replica = await (await provide(world, 'u', 'other', 'triage')).synced()
  expect(replica.words).toEqual([['need.issue', 'refund_request']])
  await bot.observe('u', { field: 'emotion.state', value: 'frustrated', confidence: 0.8 })
  await vi.waitUntil(() => replica.words.length === 2)
  expect(replica.words).toContainEqual(['emotion.state', 'frustrated'])
})

test('[REP-2] what a client writes into its outbox is admitted as a value, receipted and taken out', async () => {
  const world = await World.start()
  const replica = await (await provide(world, 'u', 'bot', 'triage')).synced()
  replica.outbox.set('o1', { ...ISSUE })
  replica.outbox.set('o2', { field: 'no.such', value: 1 })
  replica.outbox.set('o3', 'no observation')
  replica.outbox.set('not an id!', { ...ISSUE })
  await vi.waitUntil(() => Object.keys(replica.receipts).length === 4)
  expect(replica.receipts).toMatchObject({
    o1: { status: 'admitted' },
    o2: { status: 'refused', error: { code: 'field_unavailable' } },
    o3: { status: 'refused', error: { code: 'bad_request' } },
    'not an id!': { status: 'refused', error: { code: 'bad_id' } },
  })
  expect(replica.outbox.size).toBe(0)
  expect(replica.words).toEqual([['need.issue', 'refund_request']])
  expect((await (await world.as('bot', 'triage')).model('u')).beliefs['need.issue']).toMatchObject({ evidence: 1 })
})

test('[REP-3] who was away is sent what it lacks, and what it wrote meanwhile is admitted once', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  await bot.observe('u', ISSUE)
  const replica = await (await provide(world, 'u', 'other', 'triage')).synced()
  replica.provider.disconnect()
  replica.outbox.set('o1', { field: 'emotion.state', value: 'frustrated' })
  await bot.observe('u', { field: 'need.issue', value: 'login_failed', confidence: 0.7 })
  replica.provider.connect()
  await vi.waitUntil(() => replica.receipts['o1'] !== undefined)
  replica.provider.disconnect()
  replica.provider.connect()
  await replica.synced()
  expect(replica.words).toHaveLength(2)
  expect(replica.words).toContainEqual(['need.issue', 'login_failed'])
  expect((await bot.model('u')).beliefs['emotion.state']).toMatchObject({ evidence: 1 })
})

test('[REP-4] a client whose document holds what its scope may not read is closed with 4409 before anything is sent', async () => {
  const world = await World.start()
  const ann = await world.as('ann', 'supervisor')
  await ann.observe('u', { field: 'emotion.state', value: 'frustrated' })
  const wide = await (await provide(world, 'u', 'ann', 'supervisor')).synced()
  expect(wide.words).toHaveLength(1)
  wide.provider.destroy()
  const narrow = await provide(world, 'u', 'bill', 'billing', wide.doc)
  await vi.waitUntil(() => narrow.closures.length > 0)
  expect(narrow.closures).toEqual([4409])
  expect(narrow.received).toEqual([])
})

test('[REP-5] refusals are final for the client: 4401 without a valid token, 4403 for a user out of reach', async () => {
  const world = await World.start()
  const stranger = new Provided(world, 'u', 'no.token')
  await vi.waitUntil(() => stranger.closures.length > 0)
  expect(stranger.closures).toEqual([4401])
  const other = await provide(world, 'u', 'someone', 'subject')
  await vi.waitUntil(() => other.closures.length > 0)
  expect(other.closures).toEqual([4403])
})

test('[REP-6] a document that a client kept comes back right after a restart of the server', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  await bot.observe('u', ISSUE)
  const replica = await (await provide(world, 'u', 'other', 'triage')).synced()
  const kept = Y.encodeStateAsUpdate(replica.doc)
  replica.provider.destroy()
  await world.restart()
  await (await world.as('bot', 'triage')).observe('u', { field: 'emotion.state', value: 'calm' })
  const doc = new Y.Doc()
  Y.applyUpdate(doc, kept)
  const again = await (await provide(world, 'u', 'other', 'triage', doc)).synced()
  expect(again.closures).toEqual([])
  expect(again.words).toHaveLength(2)
})
