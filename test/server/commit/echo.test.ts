import { expect, test } from 'vitest'
import { columns } from '../support/answer.ts'
import type { Caller } from '../support/caller.ts'
import { statuses } from '../support/caller.ts'
import { HOUR } from '../support/clock.ts'
import { Disk } from '../support/disk.ts'
import { World } from '../support/world.ts'

const MOOD = { field: 'emotion.state', value: 'frustrated', confidence: 0.6 }

/** A desk where one agent has said something, another may read it. */
async function desk(options: Parameters<typeof World.start>[0] = {}) {
  const world = await World.start(options)
  const first = await world.as('first', 'triage')
  await first.observe('u', MOOD)
  return { world, second: await world.as('second', 'triage') }
}

const says = async (caller: Caller, ...more: object[]) =>
  statuses(await caller.observe('u', ...(more.length > 0 ? more : [{}]).map(each => ({ ...MOOD, ...each }))))

const READS: Record<string, (caller: Caller, world: World) => Promise<unknown>> = {
  model: caller => caller.get('/v1/users/u/model'),
  'part of the model': caller => caller.get('/v1/users/u/model?fields=emotion.*'),
  context: caller => caller.get('/v1/users/u/context'),
  'context as JSON': caller => caller.get('/v1/users/u/context?format=json'),
  explanation: caller => caller.get('/v1/users/u/evidence?field=emotion.state'),
  'socket model': async (_, world) => (await world.socket('second', 'triage')).ask('model', { user: 'u' }),
  watch: async (_, world) =>
    (await world.socket('second', 'triage')).ask('watch', { user: 'u', fields: ['emotion.**'] }),
}

test.for(Object.keys(READS))('[ROOM-1] who restates what it was served as %s adds nothing', async name => {
  const { world, second } = await desk()
  await READS[name]?.(second, world)
  const before = await second.belief('u', 'emotion.state')
  expect(await says(second)).toEqual(['echo'])
  const { confidence, uncertainty, value } = await second.belief('u', 'emotion.state')
  expect({ confidence, uncertainty, value }).toMatchObject({
    confidence: before.confidence,
    uncertainty: before.uncertainty,
    value: 'frustrated',
  })
  const { words } = await second.explain('u', 'emotion.state')
  expect(words.map(({ standing, share }) => [standing, share > 0])).toEqual([
    ['counted', true],
    ['echo', false],
  ])
})

test('[ROOM-2] a change that a watch told of counts as served', async () => {
  const world = await World.start()
  const socket = await world.socket('second', 'triage')
  await socket.get(columns, 'watch', { user: 'u', fields: ['emotion.**'] })
  await (await world.as('first', 'triage')).observe('u', MOOD)
  await socket.frame(frame => 'beliefs' in frame)
  expect(await says(await world.as('second', 'triage'))).toEqual(['echo'])
})

test('[ROOM-3] what was heard or seen, another value, or a field that was not asked for, is no echo', async () => {
  const { second } = await desk()
  await second.get('/v1/users/u/model?fields=need.**')
  expect(await says(second)).toEqual(['admitted'])
  await second.model('u')
  const before = await second.belief('u', 'emotion.state')
  const said = await says(second, { basis: 'heard', interaction: 'a' }, { basis: 'seen', interaction: 'b' })
  expect(said).toEqual(['admitted', 'admitted'])
  expect((await second.belief('u', 'emotion.state')).confidence).toBeGreaterThan(before.confidence)
  expect(await says(second, { value: 'calm', interaction: 'c' })).toEqual(['admitted'])
})

test('[ROOM-4] an agent that never read, and a person who did, do not echo', async () => {
  const { world, second } = await desk()
  await second.model('u')
  expect(await says(await world.as('third', 'triage'))).toEqual(['admitted'])
  const ann = await world.as('ann', 'human')
  await ann.model('u')
  expect(await says(ann)).toEqual(['admitted'])
})

test('[ROOM-5] what was served in one user is no echo in another', async () => {
  const { second } = await desk()
  await second.model('u')
  expect(statuses(await second.observe('w', MOOD))).toEqual(['admitted'])
})

test('[ROOM-6] what was served survives an orderly restart, also of rooms too large to keep', async () => {
  for (const limits of [{}, { idleRoomBytes: 1 }]) {
    const { world, second } = await desk({ limits })
    await second.model('u')
    await world.restart()
    expect(await says(await world.as('second', 'triage'))).toEqual(['echo'])
  }
})

test('[ROOM-7] many reads of other fields do not make what was served forgotten', async () => {
  const { second } = await desk()
  await second.model('u')
  for (let i = 0; i < 40; i++) {
    await second.observe('u', { field: 'need.issue', value: `issue-${i}`, interaction: `i${i}` })
    await second.model('u', '?fields=need.issue')
    await second.explain('u', 'need.goal')
  }
  expect(await says(second)).toEqual(['echo'])
})

test('[ROOM-8] a value that was served and has been superseded since is still an echo', async () => {
  const { world, second } = await desk()
  await second.model('u')
  world.clock.advance(HOUR)
  const ann = await world.as('ann', 'human')
  await ann.correct('u', { field: 'emotion.state', value: 'calm' })
  for (let i = 0; i < 40; i++) {
    await ann.observe('u', { field: 'need.issue', value: `issue-${i}`, interaction: `i${i}` })
    await second.model('u')
  }
  expect(await says(second)).toEqual(['echo'])
})

test('[ROOM-9] elements of a set and denials are echoes when they were served as such', async () => {
  const world = await World.start()
  const [first, second] = [await world.as('first', 'triage'), await world.as('second', 'triage')]
  const tried = (value: unknown, more = {}) => ({ field: 'technical.tried', value, ...more })
  await first.observe('u', tried(['restart', 'logout']), tried('reinstall', { not: true }))
  await second.model('u')
  const answer = await second.observe(
    'u',
    tried(['logout', 'restart']),
    tried(['restart', 'cable']),
    tried('reinstall', { not: true }),
    tried('restart', { not: true }),
  )
  expect(statuses(answer)).toEqual(['echo', 'admitted', 'echo', 'admitted'])
})

test('[ROOM-10] who comes back to a room that is being left finds what was served there, written down or not', async () => {
  const disk = new Disk()
  const { world, second } = await desk({ archive: disk.archive(), limits: { idleRoomBytes: 1 } })
  const socket = await world.socket('second', 'triage')
  const held = disk.hold()
  await second.model('u')
  await held
  const asked = socket.ask('observe', { user: 'u', observations: [MOOD] })
  // Requests of one socket are begun in order: once this is answered, the write has entered the room.
  await socket.ask('model', { user: 'u', fields: ['need.*'] })
  disk.release()
  expect(await asked).toMatchObject({ ok: { outcomes: [{ status: 'echo' }] } })
})
