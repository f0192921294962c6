import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../support/clock.ts'
import { vault } from '../support/vault.ts'
import { World } from '../support/world.ts'

const READS = [
  '/v1/schema',
  '/v1/users/u/model',
  '/v1/users/u/model?fields=**,!open.note',
  '/v1/users/u/model?minConfidence=0.5',
  '/v1/users/u/model?task=t1',
  '/v1/users/u/context',
  '/v1/users/u/context?format=json&tokens=2000&stale=true',
  '/v1/users/u/evidence?field=open.mood',
  '/v1/users/u/evidence?field=open.tags',
  '/v1/users/u/evidence?field=open.note',
  '/v1/users/u/evidence?field=vault.a.note',
  '/v1/users/u/export',
  '/v1/users/w/model',
]

/**
 * One history of what a restricted reader can see, with hidden writes between its steps or without. Everything the reader
 * is sent comes back, with versions named in the order in which they first appear: which of them are equal is part of it.
 */
async function told(isBusy: boolean): Promise<string[]> {
  const world = await World.start({ schema: vault })
  const [tom, ann, reader] = [
    await world.as('tom', 'keeper'),
    await world.as('ann', 'person'),
    await world.as('r', 'reader'),
  ]
  const [spy, boss] = [await world.as('spy', 'keeper'), await world.as('boss', 'person')]
  const heard: string[] = []
  reader.heard = ({ status, text }) => heard.push(`${status} ${text}`)
  const socket = await world.socket('r', 'reader')
  await socket.ask('watch', { user: 'u', fields: ['**'] })

  let step = 0
  const hide = async () => {
    step += 1
    if (!isBusy) return
    const words = Array.from({ length: step * 3 }, (_, i) => ({
      field: `vault.${'abc'[i % 3]}.${i % 2 ? 'note' : 'mark'}`,
      value: `v${i}`,
      interaction: `hidden${i}`,
    }))
    await spy.observe('u', ...words)
    await spy.observe('w', ...words)
    await boss.correct('u', { field: 'vault.a.mark', value: `s${step}`, interaction: 'boss' })
    await boss.correct('u', { field: 'vault.b.mark', value: `s${step}`, not: true, interaction: 'boss' })
    await boss.retract('u', { interaction: `hidden${step}` })
    await boss.retract('u', { agent: 'spy' })
  }
  const look = async () => {
    for (const path of READS) await reader.get(path)
    await hide()
    for (const path of READS) await reader.get(path)
    await socket.ask('model', { user: 'u' })
    await socket.ask('explain', { user: 'u', field: 'open.mood' })
  }
  await hide()
  await look()
  await tom.observe('u', { id: 'a', field: 'open.mood', value: 'angry', confidence: 0.6, task: 't1' })
  await look()
  world.clock.advance(HOUR)
  await tom.observe(
    'u',
    { id: 'b', field: 'open.tags', value: ['x', 'y'] },
    { id: 'c', field: 'open.note', value: 'n' },
  )
  await tom.observe(
    'u',
    { id: 'd', field: 'open.sum', value: 12, task: 't1' },
    { id: 'e', field: 'open.day', value: 'mon', task: 't1' },
  )
  await look()
  world.clock.advance(MINUTE)
  await ann.correct('u', { id: 'f', field: 'open.mood', value: 'calm', why: 'she said so' })
  await look()
  await reader.observe(
    'u',
    { id: 'g', field: 'open.mood', value: 'sad' },
    { id: 'h', field: 'vault.a.note', value: 'x' },
  )
  await reader.retract('u', { id: 'i', field: 'open.sum' })
  await look()
  await ann.retract('u', { id: 'j', agent: 'tom', field: 'open.tags' })
  await look()
  world.clock.advance(30 * HOUR)
  await look()
  await world.restart()
  const again = await world.as('r', 'reader')
  again.heard = reader.heard
  for (const path of READS) await again.get(path)
  await socket.closed
  return named([...heard, ...socket.texts])
}

/** Versions by the order of their first appearance; nothing else may differ. */
function named(texts: readonly string[]): string[] {
  const names = new Map<string, string>()
  const nameOf = (version: string) => {
    const name = names.get(version) ?? `version ${names.size}`
    names.set(version, name)
    return name
  }
  return texts.map(text => text.replace(/"version":"([^"]+)"/g, (_, version) => `"version":"${nameOf(version)}"`))
}

test('[LEAK-10] two histories that differ in hidden fields only are the same to a restricted reader, down to every byte', async () => {
  const [quiet, busy] = [await told(false), await told(true)]
  expect(quiet.length).toBeGreaterThan(150)
  expect(new Set(quiet.join().match(/version \d+/g)).size).toBeGreaterThan(4)
  expect(busy).toEqual(quiet)
})

test('[LEAK-11] numbers that count all writes of a user do not reach a reader of some of its fields', async () => {
  const world = await World.start({ schema: vault })
  const [keeper, reader] = [await world.as('k', 'keeper'), await world.as('r', 'reader')]
  for (let i = 0; i < 5; i++)
    await keeper.observe(
      'u',
      ...Array.from({ length: 250 }, (_, n) => ({ field: 'vault.a.kinds', value: `${i}-${n}` })),
    )
  await reader.observe('u', { field: 'open.mood', value: 'sad' })
  const texts = [
    (await reader.get('/v1/users/u/model')).text,
    (await reader.get('/v1/users/u/evidence?field=open.mood')).text,
    (await reader.get('/v1/users/u/context?format=json')).text,
  ]
  for (const text of texts) {
    expect(text).not.toMatch(/\b125[01]\b/)
    expect(text).not.toMatch(/"(seq|episode|epoch|received)"/)
  }
})

test('[LEAK-12] so many hidden writes that a user is compacted change no version of a reader who sees none of them', async () => {
  const world = await World.start({ schema: vault })
  const [keeper, person, reader] = [
    await world.as('k', 'keeper'),
    await world.as('p', 'person'),
    await world.as('r', 'reader'),
  ]
  const { clock } = world
  await reader.observe('u', { field: 'open.mood', value: 'sad' }, { field: 'open.tags', value: 'gone' })
  await reader.observe('u', { field: 'open.mood', value: 'calm', at: clock.now() - MINUTE })
  await person.retract('u', { field: 'open.tags' })
  clock.advance(HOUR)
  const { version } = await reader.model('u')
  for (let i = 0; i < 5; i++)
    await keeper.observe('u', ...Array.from({ length: 250 }, (_, n) => ({ field: 'vault.a.kinds', value: `${n}` })))
  clock.advance(HOUR)
  await keeper.observe('u', ...Array.from({ length: 250 }, (_, n) => ({ field: 'vault.a.kinds', value: `${n}` })))
  const held = async (field: string) =>
    (await person.export('u')).evidence.filter(piece => 'field' in piece && piece.field === field).length
  await expect.poll(() => held('vault.a.kinds')).toBeLessThan(1_500)
  expect(await held('open.mood')).toBe(2)
  expect((await reader.model('u')).version).toBe(version)
  await world.restart()
  expect((await (await world.as('r', 'reader')).model('u')).version).toBe(version)
})
