import { expect, test } from 'vitest'
import { z } from 'zod'
import { refused } from '../support/answer.ts'
import { parsed, refusalOf } from '../support/caller.ts'
import { World } from '../support/world.ts'

const context = z.looseObject({
  user: z.string(),
  version: z.string(),
  asOf: z.number(),
  format: z.enum(['markdown', 'json']),
  text: z.string().optional(),
  context: z.unknown().optional(),
  tokens: z.number(),
  trimmed: z.array(z.strictObject({ field: z.string(), reason: z.string() })),
})

async function desk() {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  await bot.observe(
    'u',
    { field: 'need.issue', value: 'refund', confidence: 0.9 },
    { field: 'need.goal', value: 'money back', confidence: 0.4 },
    { field: 'emotion.state', value: 'angry', confidence: 0.7 },
    { field: 'order.A1.status', value: 'paid', confidence: 0.9 },
    { field: 'technical.tried', value: ['restart'], task: 't1', confidence: 0.9 },
    { field: 'technical.error', value: 'E1', task: 't1', confidence: 0.9 },
    { field: 'technical.error', value: 'E2', task: 't2', confidence: 0.9 },
  )
  const fields = async (query: string) => Object.keys((await bot.model('u', query)).beliefs)
  return { world, bot, fields }
}

test('[HTTP-20] a model is asked for by patterns, least confidence, version and task', async () => {
  const { bot, fields } = await desk()
  expect(await fields('?fields=need.*')).toEqual(['need.goal', 'need.issue'])
  expect(await fields('?fields=need.issue,order.*.status')).toEqual(['need.issue', 'order.A1.status'])
  expect(await fields('?fields=**,!need.**,!technical.**')).toEqual(['emotion.state', 'order.A1.status'])
  expect(await fields('?fields=need.*,emotion.*&minConfidence=0.65')).toEqual(['emotion.state', 'need.issue'])
  expect(await fields('?minConfidence=1')).toEqual([])
  const { version } = await bot.model('u')
  expect(await fields(`?atLeast=${version}&fields=need.issue`)).toEqual(['need.issue'])
  const value = async (task: string) => (await bot.model('u', `?task=${task}`)).beliefs['technical.error']?.value
  expect([await value('t1'), await value('t2')]).toEqual(['E1', 'E2'])
})

test('[HTTP-21] a context is asked for by tokens and format', async () => {
  const { bot } = await desk()
  const markdown = parsed(context, await bot.get('/v1/users/u/context'))
  expect(markdown).toMatchObject({ user: 'u', format: 'markdown', trimmed: [] })
  expect(markdown.text).toContain('refund')
  const json = parsed(context, await bot.get('/v1/users/u/context?format=json&tokens=2000'))
  expect(json.format).toBe('json')
  expect(JSON.stringify(json.context)).toContain('refund')
  const short = parsed(context, await bot.get('/v1/users/u/context?tokens=150'))
  expect(short.tokens).toBeLessThanOrEqual(150)
})

test('[HTTP-22] queries that can not be meant are a bad request that names what is wrong', async () => {
  const { bot } = await desk()
  for (const [path, name] of [
    ['model?fields=', 'fields'],
    ['model?fields=need..issue', 'fields'],
    ['model?fields=need.issue,', 'fields'],
    ['model?minConfidence=high', 'minConfidence'],
    ['model?minConfidence=2', 'minConfidence'],
    ['model?minConfidence=', 'minConfidence'],
    ['model?minConfidence=NaN', 'minConfidence'],
    ['model?atLeast=', 'atLeast'],
    ['model?task=a%20b', 'task'],
    ['context?tokens=0', 'tokens'],
    ['context?tokens=1.5', 'tokens'],
    ['context?tokens=many', 'tokens'],
    ['context?format=xml', 'format'],
    ['context?stale=maybe', 'stale'],
    ['evidence', 'field'],
    ['evidence?field=a..b', 'field'],
  ] as const) {
    const reply = await bot.get(`/v1/users/u/${path}`)
    expect([path, ...refusalOf(reply)]).toEqual([path, 400, 'bad_request'])
    const { error } = parsed(refused, reply)
    expect([path, error.details?.[0]?.path.startsWith(name)]).toEqual([path, true])
  }
})

test('[HTTP-23] parameters nobody knows, and those that mean something to JavaScript, are a bad request', async () => {
  const { bot } = await desk()
  for (const query of [
    'colour=red',
    '__proto__=x',
    'constructor=x',
    'toString=1',
    'fields[]=need.*',
    'hasOwnProperty=1',
  ]) {
    const reply = await bot.get(`/v1/users/u/model?${query}`)
    expect([query, ...refusalOf(reply)]).toEqual([query, 400, 'bad_request'])
  }
})

test('[HTTP-24] user ids are 1 to 128 letters, digits or signs; what is written in the body does not replace them', async () => {
  const { bot } = await desk()
  for (const user of ['a%20b', 'x'.repeat(129), '__proto__', '%00', '%E0%A4%A'])
    expect([user, (await bot.get(`/v1/users/${user}/model`)).status]).toEqual([user, 400])
  await bot.post('/v1/users/path/observations', { user: 'body', observations: [{ field: 'need.issue', value: 'x' }] })
  expect((await bot.model('body')).beliefs).toEqual({})
  expect(Object.keys((await bot.model('path')).beliefs)).toEqual(['need.issue'])
  expect((await bot.model('u:1~a.b-c_d')).user).toBe('u:1~a.b-c_d')
})

test('[HTTP-25] bodies that are no JSON, or JSON of another shape, are a bad request', async () => {
  const { bot } = await desk()
  for (const body of [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '1',
    '{}',
    '{"observations":[]}',
    '{"observations":{}}',
    '{"observations":[{}],"atomic":"yes"}',
    '{"observations":[{"field":"need.issue","value":"x"}],"more":1}',
  ])
    expect([body, ...refusalOf(await bot.post('/v1/users/u/observations', body))]).toEqual([body, 400, 'bad_request'])
  for (const body of ['', 'null', '[]'])
    expect([body, (await bot.post('/v1/users/u/retractions', body)).status >= 400]).toEqual([body, true])
  const odd = await bot.post(
    '/v1/users/u/observations',
    '{"observations":[null,1,"x",[],{"__proto__":{"field":"need.issue"}}]}',
  )
  expect(odd.status).toBe(422)
})
