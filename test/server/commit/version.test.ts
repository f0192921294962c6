import { expect, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { model } from '../support/answer.ts'
import { parsed, refusalOf } from '../support/caller.ts'
import { Disk } from '../support/disk.ts'
import { World } from '../support/world.ts'

const ISSUE = { field: 'need.issue', value: 'refund' }
const PLAN = { field: 'billing.plan', value: 'pro' }

test('[ROOM-20] a version changes with what is readable and not with what is hidden', async () => {
  const world = await World.start()
  const [bot, bill] = [await world.as('bot', 'triage'), await world.as('bill', 'billing')]
  const { version: first } = await bot.observe('u', ISSUE)
  await bill.observe('u', PLAN)
  expect((await bot.model('u')).version).toBe(first)
  expect((await bot.explain('u', 'need.issue')).version).toBe(first)
  expect((await bill.model('u')).version).not.toBe(first)
  await bill.observe('u', ISSUE)
  expect((await bot.model('u')).version).not.toBe(first)
})

test('[ROOM-21] a retraction changes the version of those only who can read what it takes back', async () => {
  const world = await World.start()
  const [bot, bill, ann] = [
    await world.as('bot', 'triage'),
    await world.as('bill', 'billing'),
    await world.as('ann', 'human'),
  ]
  await bot.observe('u', ISSUE)
  await bill.observe('u', PLAN)
  const [before, seen] = [await bot.model('u'), await bill.model('u')]
  await ann.retract('u', { agent: 'bill' })
  expect((await bot.model('u')).version).toBe(before.version)
  expect((await bill.model('u')).version).not.toBe(seen.version)
  await world.restart()
  expect((await (await world.as('bot', 'triage')).model('u')).version).toBe(before.version)
})

test('[ROOM-22] a read at least of a version waits for it and shows it', async () => {
  const disk = new Disk()
  const world = await World.start({ archive: disk.archive() })
  const [bot, ann] = [await world.as('bot', 'triage'), await world.as('ann', 'human')]
  const { version } = await bot.observe('u', ISSUE)
  const read = parsed(model, await ann.get(`/v1/users/u/model?atLeast=${version}`))
  expect(Object.keys(read.beliefs)).toEqual(['need.issue'])
  const context = await ann.get(`/v1/users/u/context?atLeast=${version}`)
  expect(context.text).toContain('refund')
})

test('[ROOM-23] a version that has not come yet is waited for, and refused as not_yet when it does not come', async () => {
  const disk = new Disk()
  const here = await World.start({ archive: disk.archive(), limits: { versionDeadline: 100 } })
  const ahead = await here.as('bot', 'triage')
  const { version: early } = await ahead.observe('u', ISSUE)
  const { version: late } = await ahead.observe('u', { ...ISSUE, interaction: 'later' })
  // The same server, set back to an earlier state of its disk: the later version is one it has not reached.
  const restored = new Disk()
  await here.restart({ archive: restored.archive() })
  const bot = await here.as('bot', 'triage')
  expect(refusalOf(await bot.get(`/v1/users/u/model?atLeast=${early}`))).toEqual([504, 'not_yet'])
  const waiting = bot.get(`/v1/users/u/model?atLeast=${early}`)
  await bot.observe('u', ISSUE)
  expect((await waiting).status).toBe(200)
  expect(refusalOf(await bot.get(`/v1/users/u/model?atLeast=${late}`))).toEqual([504, 'not_yet'])
  const socket = await here.socket('bot', 'triage')
  expect(await socket.ask('model', { user: 'u', atLeast: late })).toMatchObject({ error: { code: 'not_yet' } })
})

test('[ROOM-24] a version of another user, or none at all, is a bad request', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  const { version } = await bot.observe('u', ISSUE)
  for (const other of [version.replace(/^./, version.startsWith('A') ? 'B' : 'A'), 'x', `${version}${version}`])
    expect(refusalOf(await bot.get(`/v1/users/u/model?atLeast=${other}`))).toEqual([400, 'bad_request'])
  expect(refusalOf(await bot.get(`/v1/users/w/model?atLeast=${version}`))).toEqual([400, 'bad_request'])
})

test('[ROOM-25] versions stay good through a restart', async () => {
  const world = await World.start()
  const { version } = await (await world.as('bot', 'triage')).observe('u', ISSUE)
  await world.restart()
  const bot = await world.as('bot', 'triage')
  expect((await bot.model('u', `?atLeast=${version}`)).version).toBe(version)
})

test('[ROOM-26] an SDK reads its own writes and what it was told of', async () => {
  const world = await World.start()
  const desk = await connect({ url: world.url, token: await world.token('bot', 'triage') })
  const user = desk.user('u')
  for (let i = 0; i < 20; i++) {
    await user.observe({ 'need.goal': `goal ${i}` })
    expect((await user.model()).get('need.goal')?.value).toBe(`goal ${i}`)
  }
  await desk.close()
})
