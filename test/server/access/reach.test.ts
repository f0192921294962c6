import { expect, test } from 'vitest'
import type { Caller, Reply } from '../support/caller.ts'
import { codes, refusalOf, statuses } from '../support/caller.ts'
import { vault } from '../support/vault.ts'
import { World } from '../support/world.ts'

const MOOD = { field: 'open.mood', value: 'calm' }

const CALLS: Record<string, (caller: Caller, user: string) => Promise<Reply>> = {
  model: (caller, user) => caller.get(`/v1/users/${user}/model`),
  context: (caller, user) => caller.get(`/v1/users/${user}/context`),
  explain: (caller, user) => caller.get(`/v1/users/${user}/evidence?field=open.mood`),
  'explain of a hidden field': (caller, user) => caller.get(`/v1/users/${user}/evidence?field=vault.a.note`),
  'read at a version': (caller, user) => caller.get(`/v1/users/${user}/model?atLeast=AAAAAAAAAAAAAAAAAAAAAA`),
  export: (caller, user) => caller.get(`/v1/users/${user}/export`),
  observe: (caller, user) => caller.post(`/v1/users/${user}/observations`, { observations: [MOOD] }),
  correct: (caller, user) => caller.post(`/v1/users/${user}/corrections`, { corrections: [MOOD] }),
  retract: (caller, user) => caller.post(`/v1/users/${user}/retractions`, { field: 'open.mood' }),
}

/** Someone is known, nobody is not. */
async function desk() {
  const world = await World.start({ schema: vault })
  await (await world.as('keeper', 'keeper')).observe('someone', MOOD)
  return world
}

test.for(['subject', 'runner'])('[ACC-20] a %s gets one answer for unknown and unreachable users', async role => {
  const world = await desk()
  const caller = await world.as('sue', role)
  for (const [what, call] of Object.entries(CALLS)) {
    const [known, unknown] = [await call(caller, 'someone'), await call(caller, 'nobody')]
    expect([what, ...refusalOf(known)]).toEqual([what, 404, 'user_unavailable'])
    expect([what, unknown.status, unknown.text]).toEqual([what, known.status, known.text])
  }
  const socket = await world.socket('sue', role)
  for (const user of ['someone', 'nobody'])
    for (const op of ['model', 'context', 'export'])
      expect(await socket.ask(op, { user })).toMatchObject({ error: { code: 'user_unavailable' } })
  for (const user of ['someone', 'nobody'])
    expect(await socket.ask('watch', { user, fields: ['**'] })).toMatchObject({ error: { code: 'user_unavailable' } })
})

test('[ACC-21] who reaches all reaches users of whom nothing is known, and a subject reaches itself', async () => {
  const world = await desk()
  expect((await (await world.as('k', 'keeper')).model('nobody')).beliefs).toEqual({})
  const sue = await world.as('sue', 'subject')
  expect(statuses(await sue.correct('sue', MOOD))).toEqual(['admitted'])
  expect((await sue.belief('sue', 'open.mood')).value).toBe('calm')
})

test('[ACC-22] fields are read and written by the patterns of the role, and hidden is like unknown', async () => {
  const world = await desk()
  const [keeper, clerk] = [await world.as('keeper', 'keeper'), await world.as('clerk', 'clerk')]
  await keeper.observe('someone', { field: 'vault.a.note', value: 'x' }, { field: 'open.note', value: 'y' })
  expect(Object.keys((await clerk.model('someone')).beliefs)).toEqual(['open.mood'])
  expect(Object.keys((await clerk.model('someone', '?fields=**')).beliefs)).toEqual(['open.mood'])
  expect((await clerk.model('someone', '?fields=vault.**')).beliefs).toEqual({})
  const texts = ['vault.a.note', 'vault.b.note', 'nowhere.at.all', 'open.note'].map(async field => {
    const reply = await clerk.get(`/v1/users/someone/evidence?field=${field}`)
    expect(refusalOf(reply)).toEqual([404, 'field_unavailable'])
    return reply.text.replace(field, 'FIELD')
  })
  expect(new Set(await Promise.all(texts)).size).toBe(1)
  const fields = ['open.note', 'open.mood', 'vault.a.note', 'nowhere.at.all']
  const written = await clerk.observe('someone', ...fields.map(field => ({ field, value: 'calm' })))
  expect(codes(written)).toEqual([undefined, 'field_unavailable', 'field_unavailable', 'field_unavailable'])
  expect(codes(await clerk.retract('someone', { field: 'vault.a.note' }))).toEqual(['field_unavailable'])
})

test('[ACC-23] only people correct, and only who reads everything exports', async () => {
  const world = await desk()
  const keeper = await world.as('keeper', 'keeper')
  const corrected = await keeper.post('/v1/users/someone/corrections', { corrections: [MOOD] })
  expect(refusalOf(corrected)).toEqual([403, 'forbidden'])
  const socket = await world.socket('keeper', 'keeper')
  expect(await socket.ask('correct', { user: 'someone', corrections: [MOOD] })).toMatchObject({
    error: { code: 'forbidden' },
  })
  const person = await world.as('ann', 'person')
  expect(statuses(await person.correct('someone', MOOD))).toEqual(['admitted'])
  expect(refusalOf(await (await world.as('r', 'reader')).get('/v1/users/someone/export'))).toEqual([403, 'forbidden'])
  expect((await keeper.export('someone')).evidence).toHaveLength(2)
})

test('[ACC-24] an agent takes back its own words only, a person any within the fields it may write', async () => {
  const world = await desk()
  const [reader, keeper, sue] = [
    await world.as('reader', 'reader'),
    await world.as('keeper', 'keeper'),
    await world.as('sue', 'subject'),
  ]
  expect(codes(await reader.retract('someone', { agent: 'keeper' }))).toEqual(['retraction_not_allowed'])
  await reader.retract('someone', { field: 'open.mood' })
  expect((await keeper.belief('someone', 'open.mood')).value).toBe('calm')
  await keeper.observe('sue', MOOD, { field: 'vault.a.note', value: 'kept' })
  await sue.retract('sue', { agent: 'keeper' })
  expect(Object.keys((await keeper.model('sue')).beliefs)).toEqual(['vault.a.note'])
})
