import { expect, test } from 'vitest'
import type { Caller } from '../support/caller.ts'
import { statuses } from '../support/caller.ts'
import { HOUR } from '../support/clock.ts'
import type { RawSocket } from '../support/raw-socket.ts'
import { Recorder } from '../support/recorder.ts'
import { vault } from '../support/vault.ts'
import { World } from '../support/world.ts'

const CANARIES = ['finch', 'robin', 'heron', 'eagle', 'stork', 'raven', 'swift', 'crane']

/** A word of a hidden field in which everything that can carry a text is a canary. */
const hidden = (i: number, more = {}) => ({
  field: 'vault.finch.note',
  value: `robin ${i}`,
  interaction: 'eagle',
  task: 'stork',
  source: 'raven',
  why: `swift ${i}`,
  id: `crane.${i}`,
  ...more,
})

const KINDS = { field: 'vault.finch.kinds', value: ['robin', 'robin2'], id: 'crane.kinds' }
const MARK = { field: 'vault.finch.mark', value: 'robin', id: 'crane.mark' }

/** Everything others do in hidden fields, step by step. */
async function* hiddenWork(world: World): AsyncGenerator<string> {
  const [agent, person] = [await world.as('heron', 'keeper'), await world.as('heron-p', 'person')]
  const socket = await world.socket('heron', 'keeper')
  yield* each('observed', [agent.observe('u', hidden(1), KINDS, MARK)])
  yield* each('corrected', [person.correct('u', hidden(2))])
  yield* each('denied', [person.correct('u', { ...MARK, not: true, id: 'crane.no' })])
  yield* each('contradicted', [agent.observe('u', hidden(3), { ...MARK, value: 'robin3', id: 'crane.m2' })])
  yield* each('refused', [
    agent.post('/v1/users/u/observations', { observations: [{ field: 'finch', value: 'robin' }] }),
  ])
  yield* each('over the socket', [socket.ask('observe', { user: 'u', observations: [hidden(4)] })])
  yield* each('retracted by interaction', [person.retract('u', { interaction: 'eagle', why: 'swift', id: 'crane.r1' })])
  yield* each('retracted by agent', [person.retract('u', { agent: 'heron', why: 'swift', id: 'crane.r2' })])
  yield* each('retracted by source', [person.retract('u', { source: 'raven', field: 'vault.finch.note' })])
  yield* each('read', [agent.model('u'), agent.explain('u', 'vault.finch.note'), agent.export('u')])
}

async function* each(name: string, work: readonly Promise<unknown>[]): AsyncGenerator<string> {
  await Promise.all(work)
  yield name
}

const PATHS = [
  '/v1/schema',
  '/v1/users/u/model',
  '/v1/users/u/model?fields=**',
  '/v1/users/u/model?fields=vault.**&minConfidence=0.01',
  '/v1/users/u/model?task=t&fields=*.*.note',
  '/v1/users/u/context',
  '/v1/users/u/context?format=json&tokens=4000&stale=true',
  '/v1/users/u/evidence?field=open.mood',
  '/v1/users/u/evidence?field=vault.guess.note',
  '/v1/users/u/export',
  '/v1/users/another/model',
  '/v1/users/u/model?atLeast=nonsense',
  '/v1/users/u/audit',
  '/openapi.json',
  '/docs',
  '/metrics',
  '/healthz',
  '/readyz',
]

/** Everything a curious reader can ask without knowing what it looks for. */
async function curious(reader: Caller, socket: RawSocket, step: number): Promise<void> {
  for (const path of PATHS) await reader.get(path)
  for (const field of ['vault.guess.note', 'nowhere', 'open.mood'])
    await reader.post('/v1/users/u/observations', { observations: [{ field, value: 'sad', interaction: `i${step}` }] })
  await reader.post('/v1/users/u/retractions', { field: 'vault.guess.note' })
  await reader.post('/v1/users/u/retractions', { interaction: 'mine' })
  await reader.post('/v1/users/u/corrections', { corrections: [{ field: 'open.mood', value: 'calm' }] })
  await reader.post('/v1/users/u/observations', '{"broken')
  await reader.post('/v1/tickets', {})
  await reader.post('/v1/revocations', { agent: 'someone' })
  for (const [op, more] of [
    ['model', {}],
    ['model', { fields: ['**'] }],
    ['context', { format: 'json' }],
    ['explain', { field: 'vault.guess.mark' }],
    ['explain', { field: 'open.note' }],
    ['export', {}],
    ['observe', { observations: [{ field: 'vault.guess.mark', value: 'x' }] }],
    ['retract', { retraction: { field: 'vault.guess.mark' } }],
    ['correct', { corrections: [{ field: 'open.mood', value: 'x' }] }],
    ['guess', {}],
  ] as const)
    await socket.ask(op, { user: 'u', ...more })
  await socket.ask('schema', {})
}

test('[LEAK-1] no byte sent to a restricted reader tells a name, value, agent, interaction or reason of a hidden field', async () => {
  const world = await World.start({ schema: vault })
  const recorder = new Recorder()
  const open = await world.as('keeper', 'keeper')
  await open.observe('u', { field: 'open.mood', value: 'angry' }, { field: 'open.note', value: 'a note to be seen' })
  const reader = await world.as('reader', 'reader')
  recorder.listen(reader)
  const socket = await world.socket('reader', 'reader')
  for (const fields of [['**'], ['vault.**'], ['open.**']]) await socket.ask('watch', { user: 'u', fields })
  let step = 0
  for await (const _ of hiddenWork(world)) {
    await curious(reader, socket, step++)
    world.clock.advance(HOUR)
  }
  expect(step).toBe(10)
  await open.observe('u', { field: 'open.mood', value: 'calm' })
  await socket.frame(frame => JSON.stringify(frame).includes('"open.mood"') && 'beliefs' in frame)
  socket.text('this is no frame')
  await recorder.end(socket)
  expect(recorder.holding(CANARIES)).toEqual([])
  // The net has no holes: what may be seen was caught by it.
  expect(recorder.holding(['a note to be seen']).length).toBeGreaterThan(10)
  expect(recorder.size).toBeGreaterThan(100_000)
})

test('[LEAK-2] the schema a restricted reader is given holds none of the names and descriptions of hidden fields', async () => {
  const world = await World.start({ schema: vault })
  const recorder = new Recorder()
  const reader = await world.as('reader', 'reader')
  recorder.listen(reader)
  const socket = await world.socket('reader', 'reader')
  await socket.ask('schema', {})
  await reader.get('/v1/schema')
  await reader.get('/openapi.json')
  await socket.close()
  await recorder.end(socket)
  expect(recorder.holding(['vault', 'kinds'])).toEqual([])
  expect(recorder.holding(['open.mood']).length).toBeGreaterThan(1)
})

test('[LEAK-3] a watch is told nothing when only hidden fields change, also by retractions that name no field', async () => {
  const world = await World.start({ schema: vault })
  const [keeper, person] = [await world.as('heron', 'keeper'), await world.as('ann', 'person')]
  await (await world.as('tom', 'keeper')).observe('u', { field: 'open.mood', value: 'sad' })
  const socket = await world.socket('reader', 'reader')
  await socket.ask('watch', { user: 'u', fields: ['**'] })
  const before = socket.texts.length
  expect(statuses(await keeper.observe('u', hidden(1), MARK, KINDS))).toEqual(['admitted', 'admitted', 'admitted'])
  await person.retract('u', { interaction: 'eagle' })
  await person.retract('u', { agent: 'heron' })
  await person.correct('u', { field: 'open.mood', value: 'calm', interaction: 'open' })
  const told = await socket.frame(frame => 'beliefs' in frame)
  expect(told).toMatchObject({ beliefs: { 'open.mood': { value: 'calm' } } })
  expect(socket.texts.length).toBe(before + 1)
})
