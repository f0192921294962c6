import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AuditAnswer, AuditEntry } from '../../model/wire/audit.ts'
import { deskOf } from '../handoff/desk.ts'
import { selfsame } from '../server/process/program.ts'
import { type Caller, refusalOf } from '../server/support/caller.ts'
import { MINUTE } from '../server/support/clock.ts'
import { Disk } from '../server/support/disk.ts'
import { World } from '../server/support/world.ts'
import { guarded } from './schema.ts'

const auditOf = async (caller: Caller, user: string, query = ''): Promise<AuditAnswer> =>
  JSON.parse((await caller.get(`/v1/users/${user}/audit${query}`)).text)

const told = ({ kind, agent, what, fields }: AuditEntry): unknown[] => [kind, agent, what, fields]

test('[AUD-1] the subject is told who read which fields, by what and under which handoff', async () => {
  const world = await World.start({ schema: guarded })
  const [bot, subject] = [await world.as('bot-1', 'bot'), await world.as('u', 'subject')]
  await bot.observe('u', { field: 'open.mood', value: 'calm' }, { field: 'open.note', value: 'likes tea' })
  await bot.model('u')
  await bot.model('u', '?fields=open.mood')
  await bot.get('/v1/users/u/context')
  await bot.explain('u', 'open.note')
  const desk = await deskOf(world, 'bot-2', 'bot')
  const user = desk.user('u')
  const stop = user.watch(['open.mood'], () => undefined)
  const replica = await user.replica()
  const work = await user.start({ intent: 'help' })
  stop()
  replica.close()
  const { entries } = await auditOf(subject, 'u', '?kind=read&limit=200')
  const both = ['open.mood', 'open.note']
  const expected = [
    ['read', 'bot-1', 'model', both],
    ['read', 'bot-1', 'model', ['open.mood']],
    ['read', 'bot-1', 'context', both],
    ['read', 'bot-1', 'explain', ['open.note']],
    ['read', 'bot-2', 'watch', ['open.mood']],
    ['read', 'bot-2', 'replica', both],
    ['read', 'bot-2', 'accept', both],
  ]
  const texts = (all: readonly unknown[]) => [...new Set(all.map(each => JSON.stringify(each)))].sort()
  expect(texts(entries.map(told))).toEqual(texts(expected))
  expect(entries.find(({ what }) => what === 'accept')?.handoff).toBe(work.id)
  expect(entries.every(({ role }) => role === 'bot')).toBe(true)
})

test('[AUD-2] writes, grants, denials and looks at the audit itself are told as well', async () => {
  const world = await World.start({ schema: guarded })
  const [bot, worker, chief] = [
    await world.as('bot-1', 'bot'),
    await world.as('w-1', 'worker'),
    await world.as('c', 'chief'),
  ]
  await bot.observe('u', { field: 'open.mood', value: 'calm' }, { field: 'hidden.note', value: 'x' })
  expect(refusalOf(await worker.get('/v1/users/u/model'))).toEqual([404, 'user_unavailable'])
  expect(refusalOf(await bot.get('/v1/users/u/audit'))).toEqual([403, 'forbidden'])
  await bot.post('/v1/users/u/work', { intent: 'help' })
  await auditOf(chief, 'u')
  await chief.get('/v1/users/u/export')
  const { entries } = await auditOf(chief, 'u', '?limit=200')
  const kinds = entries.map(({ kind, agent, what, code }) => [kind, agent, what, code])
  expect(kinds).toContainEqual(['write', 'bot-1', 'observation', undefined])
  expect(kinds).toContainEqual(['denial', 'bot-1', 'observation', 'field_unavailable'])
  expect(kinds).toContainEqual(['denial', 'w-1', 'model', 'user_unavailable'])
  expect(kinds).toContainEqual(['denial', 'bot-1', 'audit', 'forbidden'])
  expect(kinds).toContainEqual(['grant', 'bot-1', 'started', undefined])
  expect(kinds).toContainEqual(['audit', 'c', 'audit', undefined])
  expect(entries.find(({ kind }) => kind === 'export')?.fields).toEqual(['open.mood'])
  expect(entries.find(({ kind }) => kind === 'write')).toMatchObject({ fields: ['open.mood'], count: 1 })
  expect(entries.find(({ kind }) => kind === 'grant')?.expires).toBeGreaterThan(world.clock.now())
})

test('[AUD-3] only the user and roles with the action see it, and no field that they may not read', async () => {
  const world = await World.start({ schema: guarded })
  const vault = await world.as('v', 'vault')
  await vault.observe('u', { field: 'open.mood', value: 'calm' }, { field: 'hidden.note', value: 'x' })
  await vault.model('u', '?fields=hidden.note')
  await vault.model('u')
  const clerk = await auditOf(await world.as('k', 'clerk'), 'u')
  expect(JSON.stringify(clerk)).not.toContain('hidden')
  expect(clerk.entries.filter(({ kind }) => kind === 'read').map(({ fields }) => fields)).toEqual([['open.mood']])
  expect(refusalOf(await vault.get('/v1/users/u/audit'))).toEqual([403, 'forbidden'])
  expect(refusalOf(await (await world.as('other', 'subject')).get('/v1/users/u/audit'))[1]).toBe('user_unavailable')
})

test('[AUD-4] what one agent read of the same fields within a minute is one entry', async () => {
  const world = await World.start({ schema: guarded })
  const [bot, subject] = [await world.as('bot-1', 'bot'), await world.as('u', 'subject')]
  await bot.observe('u', { field: 'open.mood', value: 'calm' })
  for (let i = 0; i < 20; i++) await bot.model('u')
  expect((await auditOf(subject, 'u', '?kind=read')).entries).toHaveLength(1)
  world.clock.advance(MINUTE)
  for (let i = 0; i < 20; i++) await bot.model('u')
  const { entries } = await auditOf(subject, 'u', '?kind=read')
  expect(entries.map(({ fields }) => fields)).toEqual([['open.mood'], ['open.mood']])
})

test('[AUD-5] it is read page by page, by kind, agent and time, and survives a restart', async () => {
  const world = await World.start({ schema: guarded })
  const [bot, desk] = [await world.as('bot-1', 'bot'), await deskOf(world, 'u', 'subject')]
  const from = world.clock.now()
  for (let i = 0; i < 5; i++) {
    world.clock.advance(MINUTE)
    await bot.observe('u', { field: 'open.note', value: `${i}` })
  }
  const pages: AuditEntry[] = []
  let cursor: string | undefined
  do {
    const page: AuditAnswer = await desk.user('u').audit({ kind: 'write', limit: 2, ...(cursor && { cursor }) })
    pages.push(...page.entries)
    cursor = page.next
  } while (cursor)
  expect(pages.map(({ at }) => (at - from) / MINUTE)).toEqual([5, 4, 3, 2, 1])
  const some = await desk.user('u').audit({ kind: 'write', from: from + 2 * MINUTE, to: from + 4 * MINUTE })
  expect(some.entries).toEqual(pages.slice(1, 4))
  expect((await desk.user('u').audit({ agent: 'bot-1', kind: 'write' })).entries).toEqual(pages)
  expect((await desk.user('u').audit({ agent: 'u', kind: 'write' })).entries).toEqual([])
  await expect(desk.user('u').audit({ cursor: 'nonsense' })).rejects.toMatchObject({ code: 'bad_request' })
  await world.restart()
  const subject = await world.as('u', 'subject')
  expect((await auditOf(subject, 'u', '?kind=write')).entries).toEqual(pages)
})

test('[AUD-8] who may view as a role is shown what both may read, no more, and it is told as that', async () => {
  const world = await World.start({ schema: guarded })
  const vault = await world.as('v', 'vault')
  await vault.observe(
    'u',
    { field: 'open.mood', value: 'calm' },
    { field: 'hidden.note', value: 'x' },
    { field: 'secret.pin', value: '0000' },
  )
  const judge = await deskOf(world, 'j', 'judge')
  const fieldsAs = async (as: string, fields = ['**']) =>
    (await judge.user('u').model({ as, fields })).fields().toSorted()
  expect(await fieldsAs('bot')).toEqual(['open.mood'])
  expect(await fieldsAs('vault')).toEqual(['open.mood', 'secret.pin'])
  expect(await fieldsAs('vault', ['secret.**'])).toEqual(['secret.pin'])
  const caller = await world.as('j', 'judge')
  expect(Object.keys((await caller.model('u', '?as=worker')).beliefs)).toEqual(['open.mood'])
  expect(refusalOf(await caller.get('/v1/users/u/model?as=nobody'))).toEqual([400, 'unknown_role'])
  const bot = await world.as('b', 'bot')
  for (const as of ['vault', 'bot', 'nobody'])
    expect(refusalOf(await bot.get(`/v1/users/u/model?as=${as}`))).toEqual([403, 'forbidden'])
  const { entries } = await auditOf(await world.as('u', 'subject'), 'u', '?kind=read&agent=j')
  expect(entries.map(told)).toContainEqual(['read', 'j', 'model as bot', ['open.mood']])
  expect(entries.map(told)).toContainEqual(['read', 'j', 'model as vault', ['open.mood', 'secret.pin']])
  expect(judge.schema.role.viewsAs).toEqual([...guarded.roles.keys()])
  expect((await deskOf(world, 'b2', 'bot')).schema.role).not.toHaveProperty('viewsAs')
})

test('[AUD-6] who is shown a secret field is answered once it is on disk that they were; others wait for nothing', async () => {
  const disk = new Disk()
  const world = await World.start({ schema: guarded, archive: disk.archive() })
  const vault = await world.as('v', 'vault')
  await vault.observe('u', { field: 'open.mood', value: 'calm' }, { field: 'secret.pin', value: '0000' })
  const subject = await world.as('u', 'subject')
  await auditOf(subject, 'u')
  world.clock.advance(MINUTE)
  disk.hold()
  let isAnswered = false
  const reading = vault.model('u').then(() => {
    isAnswered = true
  })
  const bot = await world.as('bot-1', 'bot')
  for (let i = 0; i < 5; i++) expect((await bot.model('u')).beliefs['open.mood']?.value).toBe('calm')
  expect(isAnswered).toBe(false)
  disk.release()
  await reading
  const { entries } = await auditOf(subject, 'u', '?kind=read')
  expect(entries.map(told)).toContainEqual(['read', 'v', 'model', ['open.mood', 'secret.pin']])
})

test('[AUD-7] a change of a secret field reaches a watch after it is on disk that it was shown', async () => {
  const disk = new Disk()
  const world = await World.start({ schema: guarded, archive: disk.archive() })
  const vault = await world.as('v', 'vault')
  await vault.observe('u', { field: 'secret.pin', value: '0000' })
  const desk = await deskOf(world, 'v-2', 'vault')
  const seen: unknown[] = []
  let told: () => void = () => undefined
  desk.user('u').watch(['**'], ({ beliefs }) => {
    seen.push(beliefs)
    told()
  })
  await new Promise<void>(resolve => {
    told = resolve
  })
  const next = new Promise<void>(resolve => {
    told = resolve
  })
  const committing = disk.hold()
  const observing = vault.observe('u', { field: 'secret.pin', value: '1111' })
  await committing
  const noting = disk.pass()
  await Promise.all([observing, noting])
  // Comes by the same connection, after anything that was sent of the change.
  await desk.user('someone-else').model()
  expect(seen).toHaveLength(1)
  disk.release()
  await next
  const { entries } = await auditOf(await world.as('u', 'subject'), 'u', '?kind=read')
  expect(entries.filter(({ agent }) => agent === 'v-2').map(({ fields }) => fields)).toContainEqual(['secret.pin'])
  expect(seen).toHaveLength(2)
})

test('[AUD-20] links to the console are told when they are issued and when they are used, to whom they are of', async () => {
  const world = await World.start({ schema: guarded })
  await (await world.as('bot-1', 'bot')).observe('u', { field: 'open.mood', value: 'calm' })
  const [, code = ''] = world.service.consoleLink('u', 'subject').split('#link=')
  const used = await fetch(`${world.url}/v1/links`, { method: 'POST', body: JSON.stringify({ code }) })
  expect(used.status).toBe(200)
  const { entries } = await auditOf(await world.as('u', 'subject'), 'u', '?kind=link')
  expect(entries.map(({ what, agent, role }) => [what, agent, role])).toEqual([
    ['used', 'u', 'subject'],
    ['issued', 'u', 'subject'],
  ])
})

test('[AUD-21] an import is told with how much of it was new', async () => {
  const world = await World.start({ schema: guarded })
  const vault = await world.as('v', 'vault')
  await vault.observe('u', { field: 'open.note', value: 'one' })
  const file = join(world.data, 'export.json')
  writeFileSync(file, JSON.stringify({ ...(await vault.export('u')), user: 'other' }))
  await world.stop()
  for (const _ of [1, 2])
    expect(await selfsame(['import', file, '--data', world.data]).ended).toMatchObject({ code: 0 })
  await world.restart()
  const { entries } = await auditOf(await world.as('c', 'chief'), 'other', '?kind=import')
  expect(entries.map(({ count }) => count)).toEqual([0, 1])
})
