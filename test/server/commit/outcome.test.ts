import { expect, test } from 'vitest'
import { codes, refusalOf, statuses } from '../support/caller.ts'
import { Disk } from '../support/disk.ts'
import { World } from '../support/world.ts'

test('[COMMIT-1] every item of a batch has an outcome of its own, in order', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  const answer = await bot.observe(
    'u',
    { id: 'a', field: 'need.issue', value: 'refund' },
    { id: 'b', field: 'no.such', value: 'x' },
    { id: 'c', field: 'emotion.state', value: 'jolly' },
    { id: 'd', field: 'emotion.state', value: 'calm', confidence: 2 },
    { field: 'need.goal', value: 'money back' },
  )
  expect(statuses(answer)).toEqual(['admitted', 'refused', 'refused', 'refused', 'admitted'])
  expect(codes(answer)).toEqual([undefined, 'field_unavailable', 'bad_value', 'bad_confidence', undefined])
  expect(answer.outcomes.map(({ id }) => id).slice(0, 4)).toEqual(['a', 'b', 'c', 'd'])
  expect(Object.keys((await bot.model('u')).beliefs)).toEqual(['need.goal', 'need.issue'])
})

test('[COMMIT-2] an atomic batch is admitted as a whole or not at all', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  const good = { field: 'need.issue', value: 'refund', id: 'good' }
  const none = await bot.atomic('u', good, { field: 'emotion.state', value: 'jolly', id: 'bad' })
  expect(codes(none)).toEqual(['atomic_refused', 'bad_value'])
  expect((await bot.model('u')).beliefs).toEqual({})
  const all = await bot.atomic('u', { ...good, id: 'new' }, { field: 'emotion.state', value: 'calm', id: 'new-2' })
  expect(statuses(all)).toEqual(['admitted', 'admitted'])
})

test('[COMMIT-3] an atomic batch that was refused is refused as it was when it is sent again', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  const batch = [
    { field: 'need.issue', value: 'refund', id: 'good' },
    { field: 'emotion.state', value: 'jolly', id: 'bad' },
  ]
  const first = await bot.atomic('u', ...batch)
  expect((await bot.atomic('u', ...batch)).outcomes).toEqual(first.outcomes)
  expect(codes(await bot.atomic('u', { field: 'need.goal', value: 'x' }, ...batch.slice(1)))).toEqual([
    'atomic_refused',
    'bad_value',
  ])
  expect((await bot.model('u')).beliefs).toEqual({})
})

test('[COMMIT-4] a request whose items are all refused reads 422, any other 200', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  const send = (...fields: string[]) =>
    bot.post('/v1/users/u/observations', { observations: fields.map(field => ({ field, value: 'x' })) })
  expect((await send('no.such', 'no.other')).status).toBe(422)
  expect((await send('no.such', 'need.issue')).status).toBe(200)
  expect((await bot.post('/v1/users/u/retractions', { agent: 'another' })).status).toBe(422)
})

test('[COMMIT-5] people may fill a user up to the quota, agents only up to the reserve of people', async () => {
  const world = await World.start({ limits: { evidencePerUser: 10, peopleReserve: 0.2 } })
  const bot = await world.as('bot', 'triage')
  const ann = await world.as('ann', 'human')
  const tags = (count: number, prefix: string) => ({
    field: 'technical.tried',
    value: Array.from({ length: count }, (_, i) => `${prefix}${i}`),
  })
  expect(statuses(await bot.observe('u', tags(7, 'a')))).toEqual(['admitted'])
  expect(codes(await bot.observe('u', tags(2, 'b')))).toEqual(['quota_exceeded'])
  expect(statuses(await bot.observe('u', tags(1, 'c')))).toEqual(['admitted'])
  expect(codes(await bot.observe('u', tags(1, 'd')))).toEqual(['quota_exceeded'])
  expect(statuses(await ann.observe('u', tags(2, 'e')))).toEqual(['admitted'])
  expect(codes(await ann.observe('u', tags(1, 'f')))).toEqual(['quota_exceeded'])
  expect((await ann.export('u')).evidence).toHaveLength(10)
  expect(statuses(await bot.observe('other', tags(1, 'g')))).toEqual(['admitted'])
})

test('[COMMIT-6] a refusal for the quota does not tell how much others have written', async () => {
  const world = await World.start({ limits: { evidencePerUser: 40, peopleReserve: 0.1 } })
  const bot = await world.as('bot', 'triage')
  const bill = await world.as('bill', 'billing')
  await bill.observe('u', ...Array.from({ length: 36 }, () => ({ field: 'billing.plan', value: 'pro' })))
  const { outcomes } = await bot.observe('u', { field: 'need.issue', value: 'x' })
  expect(outcomes[0]?.error?.code).toBe('quota_exceeded')
  expect(outcomes[0]?.error?.message).not.toMatch(/36/)
})

test('[COMMIT-7] more writes of a user than may wait are refused as overloaded, and the rest is admitted', async () => {
  const disk = new Disk()
  const world = await World.start({ archive: disk.archive(), limits: { queuedPerUser: 3 } })
  const bot = await world.socket('bot', 'triage')
  const say = (id: string) =>
    bot.ask('observe', { user: 'u', observations: [{ id, field: 'need.issue', value: id, interaction: id }] })
  await say('before')
  const held = disk.hold()
  const first = say('first')
  await held
  const waiting = ['a', 'b', 'c'].map(say)
  for (const id of ['d', 'e']) expect(await say(id)).toMatchObject({ error: { code: 'overloaded' } })
  const caller = await world.as('bot', 'triage')
  const more = { observations: [{ id: 'f', field: 'need.issue', value: 'f' }] }
  expect(refusalOf(await caller.post('/v1/users/u/observations', more))).toEqual([503, 'overloaded'])
  disk.release()
  for (const answer of await Promise.all([first, ...waiting]))
    expect(answer).toMatchObject({ ok: { outcomes: [{ status: 'admitted' }] } })
  expect(await say('d')).toMatchObject({ ok: { outcomes: [{ id: 'd', status: 'admitted' }] } })
  expect((await caller.explain('u', 'need.issue')).words).toHaveLength(6)
})

test('[COMMIT-8] a request with more items than the limit is refused as too large', async () => {
  const world = await World.start({ limits: { observationsPerRequest: 3 } })
  const bot = await world.as('bot', 'triage')
  const items = (count: number) => ({
    observations: Array.from({ length: count }, () => ({ field: 'need.issue', value: 'x' })),
  })
  expect((await bot.post('/v1/users/u/observations', items(3))).status).toBe(200)
  expect(refusalOf(await bot.post('/v1/users/u/observations', items(4)))).toEqual([413, 'too_large'])
})

test('[COMMIT-9] writes that arrive during a flush share the next commit: they are received together, after it', async () => {
  const disk = new Disk()
  const world = await World.start({ archive: disk.archive() })
  const ann = await world.as('ann', 'human')
  const say = (id: string) => ann.observe('u', { id, field: 'need.goal', value: id, interaction: id })
  await say('before')
  const held = disk.hold()
  const first = say('first')
  await held
  const socket = await world.socket('bot', 'triage')
  const waiting = ['a', 'b', 'c'].map(value =>
    socket.ask('observe', { user: 'u', observations: [{ field: 'need.goal', value, interaction: value }] }),
  )
  // Requests of one socket are begun in order: once this is answered, those before it wait in the queue.
  await socket.ask('model', { user: 'u' })
  world.clock.advance(1_000)
  disk.release()
  await Promise.all([first, ...waiting])
  const words = (await ann.export('u')).evidence.flatMap(piece => (piece.type === 'word' ? [piece] : []))
  const receivedOf = (value: string) => words.find(word => word.value === value)?.received
  expect(receivedOf('first')).toBe(receivedOf('before'))
  for (const value of ['a', 'b', 'c']) expect(receivedOf(value)).toBe(world.clock.now())
  expect(words.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
})
