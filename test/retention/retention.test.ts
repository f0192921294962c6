import { expect, test } from 'vitest'
import { defineModel } from '../../model/schema.ts'
import { verifyIn } from '../../server/audit/look.ts'
import { guarded } from '../audit/schema.ts'
import { deskOf } from '../handoff/desk.ts'
import { codes } from '../server/support/caller.ts'
import { DAY } from '../server/support/clock.ts'
import { World } from '../server/support/world.ts'

const forgetful = defineModel({
  ...guarded.definition,
  settings: { late: '10d', retention: { audit: '30d', frames: '20d', ledger: '25d' } },
})

const start = () => World.start({ schema: forgetful, limits: { retentionCheck: 10 } })

test('[RET-1] frames go when they are old enough, with all they carried, and what is open stays', async () => {
  const world = await start()
  const bot = await deskOf(world, 'b', 'bot')
  const [over, open] = [
    await bot.user('u').start({ intent: 'over' }),
    await bot.user('u').start({ intent: 'open', lease: 86_400_000 }),
  ]
  await over.complete(null)
  const frames = async () => JSON.parse((await (await world.as('c', 'chief')).get('/v1/users/u/frames')).text).frames
  world.clock.advance(19 * DAY)
  expect(await frames()).toHaveLength(1)
  world.clock.advance(2 * DAY)
  await expect.poll(frames).toHaveLength(0)
  const works = await (await world.as('c', 'chief')).get('/v1/users/u/work')
  expect(works.text).toContain('"open"')
  expect(works.text).not.toContain('"over"')
  expect(open.id).not.toBe(over.id)
  const audit = await (await world.as('c', 'chief')).get('/v1/users/u/audit?kind=retention')
  expect(JSON.parse(audit.text).entries).toMatchObject([{ what: 'frames', count: 1 }])
})

test('[RET-2] the audit is cut at a signed place, and what is left of it verifies', async () => {
  const world = await start()
  const bot = await world.as('b', 'bot')
  await bot.observe('u', { field: 'open.mood', value: 'calm' })
  const entries = async () =>
    JSON.parse((await (await world.as('u', 'subject')).get('/v1/users/u/audit?kind=write')).text).entries
  expect(await entries()).toHaveLength(1)
  world.clock.advance(32 * DAY)
  await (await world.as('b', 'bot')).observe('u', { field: 'open.mood', value: 'angry' })
  await expect.poll(entries).toHaveLength(1)
  await world.stop()
  const report = verifyIn(world.data, undefined, [])
  expect(report.finding).toBeUndefined()
  expect(report.first).toBeGreaterThan(1)
})

test('[RET-3] an outcome is forgotten when it is old enough, and then its word is too old to be taken again', async () => {
  const world = await start()
  const bot = await world.as('b', 'bot')
  const said = { field: 'open.mood', value: 'calm', id: 'one', at: world.clock.now() }
  await bot.observe('u', said)
  world.clock.advance(24 * DAY)
  expect(codes(await (await world.as('b', 'bot')).observe('u', said))).toEqual([undefined])
  world.clock.advance(2 * DAY)
  const again = async () => codes(await (await world.as('b', 'bot')).observe('u', said))[0]
  await expect.poll(again).toBe('time_too_old')
})
