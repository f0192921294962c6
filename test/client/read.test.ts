import { expect, test } from 'vitest'
import { deskAt, scripted } from './desk-at.ts'
import { belief, modelAnswer } from './scripted-server.ts'

test('[SDK-15] answers find their questions in whatever order they come', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const users = ['a', 'b', 'c', 'd'].map(id => desk.user(id))
  const reads = users.map(user => user.model())
  const asked = await Promise.all(users.map(() => peer.asked()))
  for (const one of asked.toReversed())
    peer.answer(one, { ...modelAnswer({ 'need.issue': belief(`of ${one.user}`) }), user: one.user })
  const models = await Promise.all(reads)
  expect(models.map(model => model.get('need.issue')?.value)).toEqual(['of a', 'of b', 'of c', 'of d'])
})

test('[SDK-15] a model can be asked for a field, listed and printed', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const read = desk.user('u_42').model({ fields: ['need.*'], minConfidence: 0.3, task: 't1' })
  const asked = await peer.asked()
  expect(asked).toMatchObject({ op: 'model', user: 'u_42', fields: ['need.*'], minConfidence: 0.3, task: 't1' })
  const beliefs = { 'need.goal': belief('a refund', { contested: true }), 'need.issue': belief('charge') }
  peer.answer(asked, modelAnswer(beliefs, 'v4', 77))
  const model = await read
  expect(model.version).toBe('v4')
  expect(model.asOf).toBe(77)
  expect(model.size).toBe(2)
  expect(model.has('need.goal')).toBe(true)
  expect(model.has('need.urgency')).toBe(false)
  expect(model.get('need.urgency')).toBeUndefined()
  expect(model.fields()).toEqual(['need.goal', 'need.issue'])
  expect(Object.fromEntries(model)).toEqual(beliefs)
  expect(JSON.parse(JSON.stringify(model))).toEqual({ user: 'u_42', version: 'v4', asOf: 77, beliefs })
})

test('[SDK-16] a read that a lost connection left open is asked again', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const read = desk.user('u_42').model()
  const first = await peer.asked()
  peer.drop()
  const next = await server.greeted()
  const second = await next.asked()
  expect(second).toEqual({ ...first, id: second.id })
  next.answer(second, modelAnswer({}))
  expect((await read).size).toBe(0)
})

test('[SDK-16] a server that stops is not the end of a read', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const read = desk.user('u_42').model()
  peer.refuse(await peer.asked(), 'stopped')
  peer.close(1001)
  const next = await server.greeted()
  next.answer(await next.asked(), modelAnswer({}))
  await read
})

test('[SDK-17] a read that gets no answer in time rejects with timed_out, and a late answer harms nobody', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server, { timeout: 30 })
  const user = desk.user('u_42')
  const read = user.model()
  const asked = await peer.asked()
  await expect(read).rejects.toMatchObject({ code: 'timed_out' })
  peer.answer(asked, modelAnswer({ 'need.issue': belief('late') }))
  const next = user.model()
  peer.answer(await peer.asked(), modelAnswer({ 'need.issue': belief('in time') }))
  expect((await next).get('need.issue')?.value).toBe('in time')
})

test('[SDK-17] a read times out while there is no connection, too', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server, { timeout: 30 })
  peer.drop()
  await expect(desk.user('u_42').model()).rejects.toMatchObject({ code: 'timed_out' })
})

test('[SDK-18] a read asks for at least what this side wrote and read before', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  const fresh = user.model()
  const first = await peer.asked()
  expect(first).not.toHaveProperty('atLeast')
  peer.answer(first, modelAnswer({}, 'v1'))
  await fresh
  const written = user.observe({ 'need.issue': 'refund' })
  peer.admit(await peer.asked(), 'v2')
  await written
  const read = desk.user('u_42').model()
  const second = await peer.asked()
  expect(second['atLeast']).toBe('v2')
  peer.answer(second, modelAnswer({}, 'v3'))
  await read
  const prompt = user.context()
  const third = await peer.asked()
  expect(third).toMatchObject({ op: 'context', atLeast: 'v3' })
  peer.answer(third, { format: 'markdown', text: 'a context', version: 'v3' })
  expect(await prompt).toBe('a context')
  const other = desk.user('u_43').model()
  const fourth = await peer.asked()
  expect(fourth).not.toHaveProperty('atLeast')
  peer.answer(fourth, modelAnswer({}))
  await other
})

test('[SDK-18] of two writes the later one counts, whichever is answered last', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  const written = [user.observe({ 'need.issue': 'a' }), user.observe({ 'need.issue': 'b' })]
  const [a, b] = [await peer.asked(), await peer.asked()]
  peer.admit(b, 'v2')
  peer.admit(a, 'v1')
  await Promise.all(written)
  const read = user.model()
  const asked = await peer.asked()
  expect(asked['atLeast']).toBe('v2')
  peer.answer(asked, modelAnswer({}))
  await read
})

test('[SDK-18] an old answer to a read does not hide a write that was answered meanwhile', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  const read = user.model()
  const written = user.observe({ 'need.issue': 'a' })
  const [reading, writing] = [await peer.asked(), await peer.asked()]
  peer.admit(writing, 'v2')
  await written
  peer.answer(reading, modelAnswer({}, 'v1'))
  await read
  const again = user.model()
  const asked = await peer.asked()
  expect(asked['atLeast']).toBe('v2')
  peer.answer(asked, modelAnswer({}))
  await again
})

test('[SDK-18] what the caller asks for comes first, null asks for nothing, and what is out of reach is forgotten', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  const written = user.observe({ 'need.issue': 'a' })
  peer.admit(await peer.asked(), 'v2')
  await written
  const reads = [user.model({ atLeast: 'v9' }), user.model({ atLeast: null }), user.model()]
  const asked = [await peer.asked(), await peer.asked(), await peer.asked()]
  expect(asked.map(one => one['atLeast'])).toEqual(['v9', undefined, 'v2'])
  for (const one of asked) peer.refuse(one, 'not_yet')
  for (const read of reads) await expect(read).rejects.toMatchObject({ code: 'not_yet' })
  const free = user.model()
  const last = await peer.asked()
  expect(last).not.toHaveProperty('atLeast')
  peer.answer(last, modelAnswer({}))
  await free
})

test('[SDK-19] contexts come as text or as data, explanations and exports as they are', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  const json = user.context({ format: 'json', tokens: 300 })
  const asked = await peer.asked()
  expect(asked).toMatchObject({ op: 'context', format: 'json', tokens: 300 })
  peer.answer(asked, { format: 'json', context: { beliefs: [] }, tokens: 12, trimmed: [], version: 'v1' })
  expect(await json).toMatchObject({ context: { beliefs: [] }, tokens: 12 })

  const explained = user.explain('need.issue', { task: 't1' })
  const question = await peer.asked()
  expect(question).toMatchObject({ op: 'explain', field: 'need.issue', task: 't1' })
  peer.answer(question, { field: 'need.issue', belief: null, words: [] })
  expect(await explained).toEqual({ field: 'need.issue', belief: null, words: [] })

  const exported = user.export()
  peer.answer(await peer.asked(), { user: 'u_42', evidence: [] })
  expect(await exported).toEqual({ user: 'u_42', evidence: [] })
})
