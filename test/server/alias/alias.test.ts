import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { strictDesk } from '../../../model/sample/strict-desk.ts'
import { refusalOf } from '../support/caller.ts'
import { HOUR } from '../support/clock.ts'
import { World } from '../support/world.ts'

const PATIENT = { timeout: 20_000 }

const ISSUE = 'need.issue'
const MOOD = 'emotion.state'

async function sdk(world: World, agent: string, role: string) {
  const desk = await connect({ url: world.url, token: await world.token(agent, role) })
  onTestFinished(() => desk.close({ within: 0 }))
  return desk
}

/** A visitor and an account of whom different things are known, and someone who may join them. */
async function people() {
  const world = await World.start()
  const [bot, sue] = [await world.as('bot', 'triage'), await world.as('sue', 'supervisor')]
  await bot.observe('v_1', { field: ISSUE, value: 'refund', confidence: 0.9 })
  await bot.observe('u_1', { field: MOOD, value: 'calm', confidence: 0.8 })
  const join = (user: string, alias: string) => sue.post(`/v1/users/${user}/aliases`, { alias })
  const part = (user: string, alias: string) => sue.call('DELETE', `/v1/users/${user}/aliases?alias=${alias}`)
  return { world, bot, sue, join, part }
}

test('[ALI-1] what is known of a visitor is known of the account once they are joined, and of nobody else once parted', async () => {
  const { world, bot, sue, join, part } = await people()
  const before = (await bot.model('u_1')).beliefs
  expect(JSON.parse((await join('u_1', 'v_1')).text)).toEqual({
    user: 'u_1',
    aliases: [{ alias: 'v_1', by: 'sue', at: world.clock.now() }],
  })
  const joined = (await bot.model('u_1')).beliefs
  expect(joined).toEqual({ ...before, ...(await bot.model('v_1')).beliefs })
  expect(Object.keys((await bot.model('v_1')).beliefs)).toEqual([ISSUE])
  expect((await sue.explain('u_1', ISSUE)).words).toMatchObject([{ agent: 'bot', origin: 'v_1' }])
  await part('u_1', 'v_1')
  expect((await bot.model('u_1')).beliefs).toEqual(before)
  expect(JSON.parse((await sue.get('/v1/users/u_1/aliases')).text)).toEqual({ user: 'u_1', aliases: [] })
})

test('[ALI-2] a join is live: watches, replicas and versions of the account hear of it and of what is said under the other name', async () => {
  const { world, bot, join, part } = await people()
  const [desk, boss] = [await sdk(world, 'tom', 'triage'), await sdk(world, 'sue', 'supervisor')]
  const user = desk.user('u_1')
  const seen: unknown[] = []
  const told = new Map<unknown, () => void>()
  const hear = (value: unknown) => new Promise<void>(resolve => told.set(value, resolve))
  const first = hear('refund')
  user.watch([ISSUE], ({ beliefs }) => {
    const value = beliefs[ISSUE]?.value ?? null
    seen.push(value)
    told.get(value)?.()
  })
  const replica = await user.replica()
  await user.observe({ 'need.urgency': 'high' })
  const version = (await user.model()).version
  await boss.user('u_1').join('v_1')
  await first
  expect((await user.model()).get(ISSUE)?.value).toBe('refund')
  expect((await user.model()).version).not.toBe(version)
  expect((await user.model({ atLeast: version })).get(ISSUE)?.value).toBe('refund')
  await expect.poll(() => replica.get(ISSUE)?.value, PATIENT).toBe('refund')
  const second = hear('late_parcel')
  world.clock.advance(HOUR)
  await bot.observe('v_1', { field: ISSUE, value: 'late_parcel', confidence: 0.99, basis: 'heard' })
  await second
  await expect.poll(() => replica.get(ISSUE)?.value, PATIENT).toBe('late_parcel')
  expect((await user.model()).get(ISSUE)?.value).toBe('late_parcel')
  const third = hear(null)
  await part('u_1', 'v_1')
  await third
  await expect.poll(() => replica.get(ISSUE), PATIENT).toBeUndefined()
  expect((await user.model()).get('need.urgency')?.value).toBe('high')
  await join('u_1', 'v_1')
  expect((await user.model()).get(ISSUE)?.value).toBe('late_parcel')
  replica.close()
}, 60_000)

test('[ALI-3] joining takes the action and reach to both, and tells nothing of users out of reach', async () => {
  const { world, bot, join } = await people()
  expect(refusalOf(await bot.post('/v1/users/u_1/aliases', { alias: 'v_1' }))).toEqual([403, 'forbidden'])
  const self = await world.as('u_1', 'subject')
  for (const alias of ['v_1', 'v_nobody'])
    expect(refusalOf(await self.post('/v1/users/u_1/aliases', { alias }))).toEqual([404, 'user_unavailable'])
  await join('u_1', 'v_1')
  expect(JSON.parse((await self.get('/v1/users/u_1/aliases')).text).aliases).toMatchObject([{ alias: 'v_1' }])
})

test('[ALI-4] a token for an alias gains nothing: it reads what it read, and takes back only what was said under its name', async () => {
  const { world, bot, join } = await people()
  await bot.observe('u_1', { field: ISSUE, value: 'login_fails', confidence: 0.6 })
  await join('u_1', 'v_1')
  const visitor = await world.as('v_1', 'subject')
  expect(Object.keys((await visitor.model('v_1')).beliefs)).toEqual([ISSUE])
  expect(refusalOf(await visitor.get('/v1/users/u_1/model'))).toEqual([404, 'user_unavailable'])
  expect(JSON.parse((await visitor.get('/v1/users/v_1/aliases')).text)).toEqual({ user: 'v_1', aliases: [] })
  await visitor.retract('v_1', { field: ISSUE })
  const { beliefs } = await bot.model('u_1')
  expect(beliefs[ISSUE]).toMatchObject({ value: 'login_fails', alternatives: [] })
  // The person themselves may take back whatever is known of them.
  await (await world.as('u_1', 'subject')).retract('u_1', { field: MOOD })
  expect((await bot.model('u_1')).beliefs[MOOD]).toBeUndefined()
})

test('[ALI-5] chains, circles and second joins are refused with what stands in the way', async () => {
  const { bot, sue, join } = await people()
  for (const user of ['v_2', 'u_2']) await bot.observe(user, { field: MOOD, value: 'calm' })
  expect(refusalOf(await join('u_1', 'u_1'))).toEqual([409, 'alias_conflict'])
  expect((await join('u_1', 'v_1')).status).toBe(200)
  expect((await join('u_1', 'v_1')).status).toBe(200)
  for (const [user, alias] of [
    ['u_2', 'v_1'],
    ['v_1', 'v_2'],
    ['v_1', 'u_1'],
    ['u_2', 'u_1'],
  ] as const)
    expect(refusalOf(await join(user, alias)), `${alias} to ${user}`).toEqual([409, 'alias_conflict'])
  expect(JSON.parse((await sue.get('/v1/users/v_1/aliases')).text)).toMatchObject({ aliases: [], account: 'u_1' })
  const raced = await Promise.all([join('u_1', 'v_2'), join('u_2', 'v_2')])
  expect(raced.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('[ALI-6] joins survive a restart, and what is written while they are made is in the account once', async () => {
  const { world, bot, join } = await people()
  const writes = Array.from({ length: 40 }, (_, i) =>
    bot.observe(i % 2 ? 'v_1' : 'u_1', { field: 'technical.product', value: `p${i}`, interaction: `i${i}` }),
  )
  await Promise.all([...writes, join('u_1', 'v_1')])
  const words = async () => (await (await world.as('sue', 'supervisor')).explain('u_1', 'technical.product')).words
  const live = await words()
  expect(new Set(live.map(({ value }) => value)).size).toBe(40)
  expect(live).toHaveLength(40)
  await world.restart()
  expect(await words()).toEqual(live)
})

test('[ALI-7] work begun under the alias follows: who reaches the account accepts it with all that is known of the person', async () => {
  const { world, join } = await people()
  const [triage, billing] = [await sdk(world, 'tia', 'triage'), await sdk(world, 'bill', 'billing')]
  const work = await triage.user('v_1').start({ intent: 'a refund' })
  await join('u_1', 'v_1')
  await work.handoff({ to: 'billing', reason: 'money' })
  const [offer] = await billing.offers()
  const taken = await offer?.accept()
  expect(taken?.user.id).toBe('u_1')
  await taken?.user.observe({ [ISSUE]: 'refund' })
  const boss = await world.as('sue', 'supervisor')
  const { works } = JSON.parse((await boss.get('/v1/users/u_1/work')).text)
  expect(works).toMatchObject([{ user: 'v_1' }])
  await taken?.complete({})
  const { frames } = JSON.parse((await boss.get('/v1/users/u_1/frames')).text)
  expect(frames.length).toBeGreaterThan(0)
})

test('[ALI-8] who reaches the alias by a handoff reaches no more of the person after a join', async () => {
  const world = await World.start({ schema: strictDesk })
  const [tia, una] = [await sdk(world, 'tia', 'triage'), await world.as('una', 'supervisor')]
  const boss = await sdk(world, 'una', 'supervisor')
  const visitor = await boss.user('v_1').start({ intent: 'x' })
  const account = await boss.user('u_1').start({ intent: 'y' })
  await account.user.correct(MOOD, 'angry')
  await visitor.handoff({ to: 'triage', reason: 'z' })
  const joined = await una.post('/v1/users/u_1/aliases', { alias: 'v_1' })
  expect(joined.status, joined.text).toBe(200)
  const [offer] = await tia.offers()
  const work = await offer?.accept()
  expect(work?.user.id).toBe('v_1')
  expect((await work?.user.model())?.get(MOOD)).toBeUndefined()
  await expect(tia.user('u_1').model()).rejects.toMatchObject({ code: 'user_unavailable' })
})
