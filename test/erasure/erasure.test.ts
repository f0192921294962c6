import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyIn } from '../../server/audit/look.ts'
import { Archive } from '../../server/store/archive.ts'
import { NOBODY, type Table } from '../../server/store/cells.ts'
import { unchecked } from '../../server/store/checked.ts'
import { LmdbCells } from '../../server/store/lmdb-cells.ts'
import { guarded } from '../audit/schema.ts'
import { deskOf, offered } from '../handoff/desk.ts'
import { Caller, refusalOf } from '../server/support/caller.ts'
import { DAY, MINUTE } from '../server/support/clock.ts'
import { World } from '../server/support/world.ts'

/** A word that stands for something personal: never in another word, so that it can be searched for. */
const canary = (door: string): string => `canary-${door}-5f3a`

const files = (directory: string): Buffer[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name)))

/** Everything that can still be opened: what the archive gives for every key that is left, and the entries of the desk. */
async function readable(data: string, others: readonly string[]): Promise<string> {
  const archive = await Archive.open(data)
  const parts: unknown[] = [archive.users()]
  for (const user of [...archive.users().users, ...others]) {
    const { evidence, notes } = await archive.load(user)
    parts.push(evidence, [...notes], [...archive.papers(user, '')], [...archive.audit.trail(user)])
  }
  parts.push(archive.setting('revocations'), [...archive.audit.ofDesk()])
  await archive.close()
  return JSON.stringify(parts)
}

test('[ERA-1] of an erased user nothing is left, in no file raw or opened by any key that is left, and the audit still verifies', async () => {
  const world = await World.start({ schema: guarded })
  const user = 'canary-user-5f3a'
  const bot = await deskOf(world, 'bot-1', 'bot')
  const at = bot.user(user)
  await at.observe([{ field: 'open.note', value: canary('belief'), why: canary('why'), source: canary('source') }])
  await at.observe([
    { field: 'open.note', value: canary('interaction'), interaction: canary('talk'), id: canary('id') },
  ])
  await (await world.as('c', 'chief')).correct(user, { field: 'open.note', value: canary('correction') })
  await at.context()
  await at.replica().then(async replica => {
    await replica.observe({ 'open.note': canary('outbox') })
    replica.close()
  })
  const work = await at.start({ intent: canary('intent') })
  await work.thread({ goal: canary('thread'), approach: canary('approach') })
  await work.note({ text: canary('environment') })
  await work.checkpoint({ note: canary('checkpoint'), state: { held: canary('state') } })
  const worker = await deskOf(world, 'w-1', 'worker')
  const next = offered(worker)
  await work.handoff({ to: 'worker', reason: canary('reason'), words: canary('narrative') })
  const taken = await (await next).accept()
  const subject = await world.as(user, 'subject')
  await subject.get(`/v1/users/${user}/audit`)
  await (await world.as('other-bot', 'bot')).observe('someone-else', { field: 'open.note', value: 'stays' })
  expect((await subject.call('DELETE', `/v1/users/${user}`)).status).toBe(200)
  await expect(taken.renew()).rejects.toMatchObject({ code: 'handoff_unavailable' })
  await bot.close()
  await worker.close()
  await world.stop()
  for (const file of files(world.data)) expect(file.includes('canary')).toBe(false)
  const left = await readable(world.data, [user])
  expect(left).not.toContain('canary')
  expect(left).toContain('stays')
  expect(verifyIn(world.data, undefined, []).finding).toBeUndefined()
  const cells = LmdbCells.open(join(world.data, 'store'))
  const counted = (table: Table) => [...cells.range(table, NOBODY)].map(([, value]) => unchecked(value)).length
  expect([counted('head'), counted('twin'), counted('open'), counted('whose')]).toEqual([1, 1, 0, 0])
  await cells.close()
})

test('[ERA-20] who came by a link to the console, had tickets and ended their tokens is named nowhere afterwards', async () => {
  const world = await World.start({ schema: guarded })
  const user = 'canary-user-5f3a'
  await (await world.as('b', 'bot')).observe(user, { field: 'open.note', value: canary('belief') })
  const [, code = ''] = world.service.consoleLink(user, 'subject').split('#link=')
  const signIn = () => fetch(`${world.url}/v1/links`, { method: 'POST', body: JSON.stringify({ code }) })
  const { token } = (await (await signIn()).json()) as { token: string }
  expect((await signIn()).status).toBe(401)
  const page = new Caller(world.url, token)
  expect((await page.post('/v1/tickets', {})).status).toBe(200)
  expect((await page.get(`/v1/users/${user}/model`)).text).toContain(canary('belief'))
  expect((await page.get(`/v1/users/canary-other-5f3a/model`)).status).toBe(404)
  const { text } = await page.get(`/v1/users/${user}/audit?kind=link`)
  expect(text).toContain('"used"')
  expect((await page.post('/v1/revocations', { agent: user })).status).toBe(200)
  expect((await page.get(`/v1/users/${user}/model`)).status).toBe(401)
  await world.restart()
  expect((await new Caller(world.url, token).get(`/v1/users/${user}/model`)).status).toBe(401)
  expect((await (await world.as('c', 'chief')).call('DELETE', `/v1/users/${user}`)).status).toBe(200)
  await world.stop()
  for (const file of files(world.data)) expect(file.includes('canary')).toBe(false)
  expect(await readable(world.data, [user])).not.toContain('canary')
  expect(verifyIn(world.data, undefined, []).finding).toBeUndefined()
})

test('[ERA-2] the subject and roles with the action erase; nobody else, and nobody another', async () => {
  const world = await World.start({ schema: guarded })
  const [bot, clerk, chief] = [await world.as('b', 'bot'), await world.as('k', 'clerk'), await world.as('c', 'chief')]
  await bot.observe('u', { field: 'open.mood', value: 'calm' })
  expect(refusalOf(await bot.call('DELETE', '/v1/users/u'))).toEqual([403, 'forbidden'])
  expect(refusalOf(await clerk.call('DELETE', '/v1/users/u'))).toEqual([403, 'forbidden'])
  const stranger = await world.as('v', 'subject')
  expect(refusalOf(await stranger.call('DELETE', '/v1/users/u'))).toEqual([404, 'user_unavailable'])
  expect((await chief.call('DELETE', '/v1/users/u')).status).toBe(200)
  expect((await bot.model('u')).beliefs).toEqual({})
})

test('[ERA-3] watches end with a reason, replicas start afresh, and what waited in them is refused', async () => {
  const world = await World.start({ schema: guarded })
  const desk = await deskOf(world, 'b', 'bot')
  const user = desk.user('u')
  await user.observe({ 'open.mood': 'angry', 'open.note': 'secretive' })
  const replica = await user.replica()
  expect(replica.get('open.note')?.value).toBe('secretive')
  const ended = new Promise(resolve => {
    user.watch(['**'], () => undefined, { onError: resolve })
  })
  world.clock.advance(MINUTE)
  const before = world.clock.now()
  await (await deskOf(world, 'u', 'subject')).user('u').erase()
  expect(await ended).toMatchObject({ code: 'erased' })
  await expect.poll(() => replica.get('open.note')).toBeUndefined()
  const late = user.observe([{ field: 'open.note', value: 'said before', at: before - 1 }])
  await expect(late).rejects.toMatchObject({ code: 'erased' })
  world.clock.advance(1)
  await user.observe([{ field: 'open.note', value: 'said after', at: world.clock.now() }])
  expect((await user.model()).get('open.note')?.value).toBe('said after')
})

test('[ERA-4] an id from before does not bring it back, nor does a version, also after a restart', async () => {
  const world = await World.start({ schema: guarded })
  const bot = await world.as('b', 'bot')
  const said = { field: 'open.note', value: 'old', id: 'one', at: world.clock.now() }
  const { version } = await bot.observe('u', said)
  world.clock.advance(MINUTE)
  await (await world.as('c', 'chief')).call('DELETE', '/v1/users/u')
  const again = async () => (await bot.observe('u', said)).outcomes[0]?.error?.code
  expect(await again()).toBe('erased')
  expect(refusalOf(await bot.get(`/v1/users/u/model?atLeast=${version}`))[1]).toBe('not_yet')
  await world.restart()
  world.clock.advance(29 * DAY)
  expect((await (await world.as('b', 'bot')).observe('u', said)).outcomes[0]?.error?.code).toBe('erased')
})

test('[ERA-5] writers at the same moment are refused or come after it: nothing said before it is there afterwards', async () => {
  const world = await World.start({ schema: guarded })
  const bots = await Promise.all([1, 2, 3, 4].map(i => world.as(`b${i}`, 'bot')))
  await bots[0]?.observe('u', { field: 'open.note', value: 'first' })
  const start = world.clock.now()
  const writing = bots.flatMap((bot, i) =>
    Array.from({ length: 20 }, (_, j) =>
      bot.observe('u', { field: 'open.note', value: `during ${i} ${j}`, at: start }),
    ),
  )
  const starting = bots.map(bot => bot.post('/v1/users/u/work', { intent: 'during' }))
  const erasing = (await world.as('c', 'chief')).call('DELETE', '/v1/users/u')
  await Promise.allSettled([...writing, ...starting])
  expect((await erasing).status).toBe(200)
  const [bot] = bots
  expect((await bot?.model('u'))?.beliefs).toEqual({})
})

const readParts = (directory: string): Map<string, Buffer> =>
  new Map(readdirSync(directory).map(name => [name, readFileSync(join(directory, name))]))

function putBack(directory: string, copies: ReadonlyMap<string, Buffer>): void {
  rmSync(directory, { recursive: true })
  mkdirSync(directory)
  for (const [name, bytes] of copies) writeFileSync(join(directory, name), bytes)
}

test('[ERA-6] a copy from before, with the list of the erased beside it, is erased again when it is opened', async () => {
  const world = await World.start({ schema: guarded })
  await (await world.as('b', 'bot')).observe('u', { field: 'open.note', value: 'old' })
  await (await world.as('b', 'bot')).observe('v', { field: 'open.note', value: 'stays' })
  await world.stop()
  const before = new Map(['keys', 'store'].map(part => [part, readParts(join(world.data, part))]))
  await world.restart()
  await (await world.as('c', 'chief')).call('DELETE', '/v1/users/u')
  await world.stop()
  for (const [part, copies] of before) putBack(join(world.data, part), copies)
  await world.restart()
  const bot = await world.as('b', 'bot')
  expect((await bot.model('u')).beliefs).toEqual({})
  expect((await bot.belief('v', 'open.note')).value).toBe('stays')
})

test('[ERA-7] names that are joined go with the user; one that is erased alone leaves no trace in the other', async () => {
  const world = await World.start({ schema: guarded })
  const [bot, chief] = [await world.as('b', 'bot'), await world.as('c', 'chief')]
  for (const user of ['account', 'visitor', 'guest'])
    await bot.observe(user, { field: 'open.note', value: `of ${user}`, interaction: user })
  for (const alias of ['visitor', 'guest'])
    expect((await chief.post('/v1/users/account/aliases', { alias })).status).toBe(200)
  expect((await chief.call('DELETE', '/v1/users/guest')).status).toBe(200)
  expect((await chief.get('/v1/users/account/aliases')).text).not.toContain('guest')
  expect((await chief.get('/v1/users/account/evidence?field=open.note')).text).not.toContain('of guest')
  expect((await chief.get('/v1/users/account/evidence?field=open.note')).text).toContain('of visitor')
  expect((await chief.call('DELETE', '/v1/users/account')).status).toBe(200)
  for (const user of ['account', 'visitor', 'guest']) expect((await bot.model(user)).beliefs).toEqual({})
  await world.stop()
  expect(await readable(world.data, [])).not.toMatch(/visitor|guest|account/)
})
