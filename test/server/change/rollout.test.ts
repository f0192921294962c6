import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { defineModel } from '../../../model/schema.ts'
import { codeOf } from '../support/caller.ts'
import { World } from '../support/world.ts'

const PATIENT = { timeout: 20_000 }

const FIELDS = {
  'need.issue': { kind: 'choice', values: ['refund', 'login'], halfLife: '10d' },
  'mood.now': { kind: 'choice', values: ['calm', 'angry'], halfLife: '1d' },
  'money.limit': { kind: 'number' },
} as const

const ROLES = {
  bot: { reach: 'all', read: ['**'], write: ['**'] },
  bill: { reach: 'all', read: ['**', '!mood.**'], write: ['money.**'] },
  temp: { reach: 'all', read: ['**'], write: ['**'] },
  boss: { authority: 'human', reach: 'all', read: ['**'], write: ['**'] },
} as const

const OLD = defineModel({ fields: FIELDS, roles: ROLES })

/** `mood.now` is `feeling.now`, `login` is `sign_in`; bots no longer see moods, and there are no temps. */
const NEW = defineModel({
  fields: {
    'need.issue': { kind: 'choice', values: ['refund', 'sign_in'], wasValues: { login: 'sign_in' }, halfLife: '10d' },
    'feeling.now': { kind: 'choice', values: ['calm', 'angry'], halfLife: '2d', was: 'mood.now' },
    'money.limit': { kind: 'text' },
  },
  roles: {
    bot: { reach: 'all', read: ['**', '!feeling.**'], write: ['**', '!feeling.**'] },
    bill: { reach: 'all', read: ['**', '!feeling.**'], write: ['money.**'] },
    boss: ROLES.boss,
  },
})

async function desk() {
  const world = await World.start({ schema: OLD })
  const [bot, boss] = [await world.as('bo', 'bot'), await world.as('bea', 'boss')]
  await bot.observe(
    'u',
    { field: 'need.issue', value: 'login' },
    { field: 'mood.now', value: 'angry' },
    { field: 'money.limit', value: 40 },
  )
  return { world, bot, boss }
}

async function sdk(world: World, agent: string, role: string, onEnd: (error: Error) => void = () => {}) {
  const client = await connect({ url: world.url, token: await world.token(agent, role), onEnd })
  onTestFinished(() => client.close({ within: 0 }))
  return client
}

test('[CHG-1] a new schema is in force at once: what was said is understood under it, and nothing is lost on the way back', async () => {
  const { world, bot, boss } = await desk()
  const before = (await boss.model('u')).beliefs
  await world.service.adopt(NEW)
  const { beliefs } = await boss.model('u')
  expect(Object.entries(beliefs).map(([field, { value }]) => [field, value])).toEqual([
    ['feeling.now', 'angry'],
    ['money.limit', '40'],
    ['need.issue', 'sign_in'],
  ])
  expect(Object.keys((await bot.model('u')).beliefs)).toEqual(['money.limit', 'need.issue'])
  const refused = await bot.observe('u', { field: 'mood.now', value: 'calm' })
  expect(refused.outcomes[0]?.error?.code).toBe('field_unavailable')
  await world.service.adopt(OLD)
  expect((await boss.model('u')).beliefs).toEqual(before)
})

test('[CHG-2] sockets come back under the new schema: a watch of a narrowed role hears no more of what it lost, a removed role is out', async () => {
  const { world, boss } = await desk()
  const bot = await sdk(world, 'bo', 'bot')
  const heard: string[] = []
  let told = () => {}
  const next = () => new Promise<void>(resolve => (told = resolve))
  let waiting = next()
  bot.user('u').watch(['**'], ({ beliefs }) => {
    // null: it may no longer be read, which is all that is told.
    heard.push(...Object.entries(beliefs).flatMap(([field, belief]) => (belief ? [field] : [])))
    told()
  })
  await waiting
  expect(heard).toContain('mood.now')
  let end: (error: Error) => void = () => {}
  const ended = new Promise<Error>(resolve => {
    end = resolve
  })
  await sdk(world, 'tim', 'temp', error => end(error))
  const temp = await world.as('tim', 'temp')
  const ticket = JSON.parse((await temp.post('/v1/tickets', {})).text).ticket
  heard.length = 0
  waiting = next()
  await world.service.adopt(NEW)
  expect(await ended).toMatchObject({ code: 'unauthorized' })
  expect(codeOf(await temp.get('/v1/users/u/model'))).toBe('unauthorized')
  expect(await (await world.open({ protocols: ['selfsame', ticket] })).closed).toMatchObject({ code: 4401 })
  await waiting
  waiting = next()
  await boss.correct('u', { field: 'feeling.now', value: 'calm' }, { field: 'need.issue', value: 'refund' })
  await waiting
  expect(new Set(heard)).toEqual(new Set(['need.issue', 'money.limit']))
  expect(bot.schema.fields['feeling.now']).toBeUndefined()
})

test('[CHG-3] replicas start afresh under the new schema and hold nothing of what their role lost', async () => {
  const { world } = await desk()
  const bot = await sdk(world, 'bo', 'bot')
  const replica = await bot.user('u').replica()
  expect(replica.get('mood.now')?.value).toBe('angry')
  await world.service.adopt(NEW)
  await expect.poll(() => replica.get('need.issue')?.value, PATIENT).toBe('sign_in')
  expect(replica.get('mood.now')).toBeUndefined()
  expect(replica.get('feeling.now')).toBeUndefined()
  replica.close()
}, 60_000)

test('[CHG-4] no write is dropped: everything said while schemas change is there, once', async () => {
  const { world, boss } = await desk()
  const bot = await sdk(world, 'bo', 'bot')
  const raw = await world.as('bo2', 'bot')
  const said = Array.from({ length: 60 }, (_, i) => i)
  const writes = said.map(async i => {
    await new Promise(resolve => setTimeout(resolve, i))
    if (i % 2) await bot.user('u').observe([{ field: 'need.issue', value: 'refund', interaction: `i${i}` }])
    else await raw.observe('u', { field: 'need.issue', value: 'refund', interaction: `i${i}` })
  })
  for (let i = 0; i < 6; i++) {
    await new Promise(resolve => setTimeout(resolve, 10))
    await world.service.adopt(i % 2 ? OLD : NEW)
  }
  await Promise.all(writes)
  const { words } = await boss.explain('u', 'need.issue')
  const interactions = words.map(({ interaction }) => interaction).filter(name => name.startsWith('i'))
  expect(interactions.sort()).toEqual(said.map(i => `i${i}`).sort())
})
