import { expect, test } from 'vitest'
import { deskOf } from '../../handoff/desk.ts'
import { refusalOf, statuses } from '../support/caller.ts'
import { World } from '../support/world.ts'

const MOOD = 'emotion.state'

/** A user of whom an agent is sure of something, in an interaction. */
async function described() {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  await bot.observe('u', { field: MOOD, value: 'angry', confidence: 0.95, interaction: 'chat' })
  return { world, bot }
}

test('[SUB-1] with a token for themselves people correct, deny and take back what is held of them, over HTTP', async () => {
  const { world, bot } = await described()
  const self = await world.as('u', 'subject')
  expect(statuses(await self.correct('u', { field: MOOD, value: 'calm', why: 'I was not' }))).toEqual(['admitted'])
  expect((await bot.model('u')).beliefs[MOOD]).toMatchObject({ value: 'calm', alternatives: [] })
  const denied = await self.correct('u', { field: 'need.issue', value: 'refund', not: true })
  expect(statuses(denied)).toEqual(['admitted'])
  await bot.observe('u', { field: 'need.issue', value: 'refund', confidence: 0.95 })
  expect((await bot.model('u')).beliefs['need.issue']).toMatchObject({ value: null, denied: ['refund'] })
  await bot.observe('u', { field: 'need.goal', value: 'a new card', interaction: 'call' })
  expect(statuses(await self.retract('u', { interaction: 'call' }))).toEqual(['admitted'])
  expect((await bot.model('u')).beliefs['need.goal']).toBeUndefined()
})

test('[SUB-2] the same through the SDK', async () => {
  const { world, bot } = await described()
  const me = (await deskOf(world, 'u', 'subject')).user('u')
  await me.deny(MOOD, 'angry')
  expect((await bot.model('u')).beliefs[MOOD]).toMatchObject({ value: null, denied: ['angry'] })
  await me.correct(MOOD, 'calm')
  expect((await bot.model('u')).beliefs[MOOD]).toMatchObject({ value: 'calm' })
  await me.retract({ field: MOOD })
  expect((await bot.model('u')).beliefs[MOOD]).toBeUndefined()
})

test('[SUB-3] that token reaches nobody else and writes nothing that its role may not', async () => {
  const { world, bot } = await described()
  const self = await world.as('u', 'subject')
  await bot.observe('w', { field: MOOD, value: 'angry', confidence: 0.95 })
  const correction = { corrections: [{ field: MOOD, value: 'calm' }] }
  for (const other of ['w', 'nobody'])
    expect(refusalOf(await self.post(`/v1/users/${other}/corrections`, correction))).toEqual([404, 'user_unavailable'])
  expect((await bot.model('w')).beliefs[MOOD]).toMatchObject({ value: 'angry' })
  expect(statuses(await self.correct('u', { field: 'identity.verified', value: true }))).toEqual(['refused'])
})
