import { expect, test } from 'vitest'
import { z } from 'zod'
import { connect } from '../../../client/index.ts'
import type { Limits } from '../../../server/limits.ts'
import { outcomes } from '../support/answer.ts'
import { type Caller, codes, statuses } from '../support/caller.ts'
import { HOUR } from '../support/clock.ts'
import { World } from '../support/world.ts'

const GOOD = { id: 'one', field: 'need.issue', value: 'refund', confidence: 0.7 }
const BAD = { id: 'two', field: 'emotion.state', value: 'jolly' }

const words = async (ann: Caller, user = 'u') => (await ann.export(user)).evidence.filter(({ type }) => type === 'word')

async function desk(limits: Partial<Limits> = {}) {
  const world = await World.start({ limits })
  return { world, bot: await world.as('bot', 'triage'), ann: await world.as('ann', 'human') }
}

test('[COMMIT-10] an id sent again by the same door gives the same outcome and no further evidence', async () => {
  const { bot, ann } = await desk()
  const first = await bot.observe('u', GOOD, BAD)
  const again = await bot.observe('u', GOOD, { ...BAD, value: 'calm' })
  expect(again).toEqual(first)
  expect(await words(ann)).toHaveLength(1)
  expect(Object.keys((await ann.model('u')).beliefs)).toEqual(['need.issue'])
})

test('[COMMIT-11] an id sent again by another door gives the same outcome and no further evidence', async () => {
  const { world, bot, ann } = await desk()
  const first = await bot.observe('u', GOOD, BAD)
  const socket = await world.socket('bot', 'triage')
  const raw = await socket.get(outcomes, 'observe', { user: 'u', observations: [GOOD, BAD] })
  expect(raw).toEqual(first)
  const sdk = await connect({ url: world.url, token: await world.token('bot', 'triage') })
  const { id, field, value } = GOOD
  const written = await sdk.user('u').observe([{ id, field, value }])
  expect(written.outcomes[0]?.status).toBe('admitted')
  expect(written.version).toBe(first.version)
  await sdk.close()
  expect(await words(ann)).toHaveLength(1)
})

test('[COMMIT-12] an id sent again after a restart gives the same outcome and no further evidence', async () => {
  const { world, bot } = await desk()
  const first = await bot.observe('u', GOOD, BAD)
  await world.restart()
  const again = await world.as('bot', 'triage')
  expect(await again.observe('u', GOOD, BAD)).toEqual(first)
  expect(await words(await world.as('ann', 'human'))).toHaveLength(1)
})

test('[COMMIT-13] an id sent many times at once, by several doors, becomes one piece of evidence', async () => {
  const { world, bot, ann } = await desk()
  const socket = await world.socket('bot', 'triage')
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, () => bot.observe('u', GOOD, BAD)),
    ...Array.from({ length: 20 }, () => socket.get(outcomes, 'observe', { user: 'u', observations: [GOOD, BAD] })),
  ])
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(await words(ann)).toHaveLength(1)
})

test('[COMMIT-14] an id that stands twice in one batch is settled by its first item', async () => {
  const { bot, ann } = await desk()
  const other = { ...GOOD, value: 'login_fails' }
  const broken = { ...GOOD, field: 'no.such' }
  expect(statuses(await bot.observe('u', GOOD, other, broken))).toEqual(['admitted', 'admitted', 'admitted'])
  expect((await words(ann)).map(({ id }) => id)).toHaveLength(1)
  expect(await ann.belief('u', 'need.issue')).toMatchObject({ value: 'refund', alternatives: [] })
  expect(statuses(await bot.observe('u', broken))).toEqual(['admitted'])
  expect(codes(await bot.observe('u', BAD, { ...BAD, value: 'calm' }))).toEqual(['bad_value', 'bad_value'])
})

test('[COMMIT-15] an id that stands twice in an atomic batch falls with it', async () => {
  const { bot } = await desk()
  const answer = await bot.atomic('u', GOOD, GOOD, BAD)
  expect(codes(answer)).toEqual(['atomic_refused', 'atomic_refused', 'bad_value'])
  expect(codes(await bot.observe('u', GOOD))).toEqual(['atomic_refused'])
})

test('[COMMIT-16] the same id of another agent, or of another user, is another observation', async () => {
  const { world, bot, ann } = await desk()
  const bob = await world.as('bob', 'tech')
  await bot.observe('u', GOOD)
  await bob.observe('u', { ...GOOD, value: 'login_fails' })
  await bot.observe('w', { ...GOOD, value: 'late_parcel' })
  expect((await words(ann)).map(piece => ('value' in piece ? piece.value : null))).toEqual(['refund', 'login_fails'])
  expect(await ann.belief('w', 'need.issue')).toMatchObject({ value: 'late_parcel' })
})

test('[COMMIT-17] what was retracted does not come back when its id is sent again', async () => {
  const { bot, ann } = await desk()
  const first = await bot.observe('u', { ...GOOD, interaction: 'call' })
  await ann.retract('u', { interaction: 'call', id: 'r' })
  expect((await ann.model('u')).beliefs).toEqual({})
  expect((await bot.observe('u', { ...GOOD, interaction: 'call' })).outcomes).toEqual(first.outcomes)
  expect((await ann.model('u')).beliefs).toEqual({})
  expect(statuses(await ann.retract('u', { interaction: 'call', id: 'r' }))).toEqual(['admitted'])
  expect((await ann.export('u')).evidence.filter(({ type }) => type === 'retraction')).toHaveLength(1)
})

test('[COMMIT-18] ids are remembered through compaction, also of what it dropped, and through a restart after it', async () => {
  const { world, bot, ann } = await desk({ evidencePerUser: 2_000 })
  const said = (id: string, value: string) => ({ id, field: 'emotion.trust', value, confidence: 0.6 })
  const first = await bot.observe('u', said('old', 'low'), said('new', 'high'), BAD)
  world.clock.advance(HOUR)
  for (let batch = 0; batch < 5; batch++)
    await bot.observe(
      'u',
      ...Array.from({ length: 256 }, (_, i) => ({
        field: 'need.issue',
        value: 'refund',
        interaction: `${batch}.${i}`,
      })),
    )
  const kept = z.array(z.looseObject({ field: z.string() })).parse((await ann.export('u')).evidence)
  expect(kept.filter(({ field }) => field === 'emotion.trust')).toHaveLength(1)
  const before = await ann.belief('u', 'emotion.trust')
  for (const restart of [false, true]) {
    if (restart) await world.restart()
    const [again, reader] = [await world.as('bot', 'triage'), await world.as('ann', 'human')]
    const answer = await again.observe('u', said('old', 'low'), said('new', 'low'), BAD)
    expect(answer.outcomes).toEqual(first.outcomes)
    expect(await reader.belief('u', 'emotion.trust')).toEqual(before)
  }
})
