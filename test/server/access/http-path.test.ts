import { expect, test } from 'vitest'
import { z } from 'zod'
import { ticket } from '../support/answer.ts'
import { Caller, codeOf, parsed, refusalOf, statuses } from '../support/caller.ts'
import { World } from '../support/world.ts'

const SERVED: readonly (readonly [method: string, path: string])[] = [
  ['get', '/v1/schema'],
  ['post', '/v1/users/{user}/observations'],
  ['post', '/v1/users/{user}/corrections'],
  ['post', '/v1/users/{user}/retractions'],
  ['get', '/v1/users/{user}/model'],
  ['get', '/v1/users/{user}/context'],
  ['get', '/v1/users/{user}/evidence'],
  ['get', '/v1/users/{user}/export'],
  ['get', '/v1/users/{user}/aliases'],
  ['post', '/v1/users/{user}/aliases'],
  ['delete', '/v1/users/{user}/aliases'],
  ['get', '/v1/users/{user}/audit'],
  ['delete', '/v1/users/{user}'],
  ['post', '/v1/links'],
  ['post', '/v1/tickets'],
  ['post', '/v1/revocations'],
  ['post', '/v1/users/{user}/work'],
  ['get', '/v1/users/{user}/work'],
  ['get', '/v1/users/{user}/frames'],
  ['get', '/v1/frames'],
  ['post', '/v1/handoffs'],
  ['get', '/v1/handoffs'],
  ['post', '/v1/handoffs/replay'],
  ['get', '/v1/handoffs/stats'],
  ['get', '/v1/handoffs/{handoff}'],
  ['get', '/v1/handoffs/{handoff}/verify'],
  ...[
    'ask',
    'answer',
    'release',
    'accept',
    'decline',
    'renew',
    'work',
    'checkpoint',
    'complete',
    'fail',
    'return',
    'revoke',
    'replay',
    'may',
  ].map(act => ['post', `/v1/handoffs/{handoff}/${act}`] as const),
]

async function desk() {
  const world = await World.start()
  return { world, bot: await world.as('bot', 'triage'), ann: await world.as('ann', 'human') }
}

const schemaSeen = z.looseObject({
  name: z.string(),
  role: z.looseObject({ name: z.string() }),
  fields: z.record(z.string(), z.looseObject({ kind: z.string(), read: z.string(), write: z.string() })),
  tool: z.looseObject({ type: z.literal('object') }),
})

test('[HTTP-1] every path of the operations answers as it should', async () => {
  const { bot, ann } = await desk()
  expect(statuses(await bot.observe('u', { field: 'emotion.state', value: 'angry' }))).toEqual(['admitted'])
  expect(statuses(await ann.correct('u', { field: 'emotion.state', value: 'calm', why: 'she laughed' }))).toEqual([
    'admitted',
  ])
  expect(await bot.belief('u', 'emotion.state')).toMatchObject({ value: 'calm', status: 'fresh', contested: false })
  const { words, belief } = await bot.explain('u', 'emotion.state')
  expect(words.map(({ standing }) => standing)).toEqual(['void', 'counted'])
  expect(words[1]).toMatchObject({ agent: 'ann', role: 'human', basis: 'heard', confidence: 0.95, why: 'she laughed' })
  expect(belief?.value).toBe('calm')
  expect((await bot.explain('u', 'need.goal')).belief).toBeNull()
  expect((await ann.export('u')).evidence).toHaveLength(2)
  expect(statuses(await ann.retract('u', { field: 'emotion.state' }))).toEqual(['admitted'])
  expect((await bot.model('u')).beliefs).toEqual({})
  expect(parsed(ticket, await bot.post('/v1/tickets', {})).ticket).toMatch(/^[\w-]+$/)
  const seen = parsed(schemaSeen, await bot.get('/v1/schema'))
  expect(seen.role.name).toBe('triage')
  expect(Object.keys(seen.fields)).toContain('order.*.status')
  expect(Object.keys(seen.fields)).not.toContain('billing.plan')
})

test('[HTTP-2] the OpenAPI document has the structure of version 3.1 and lists every path that is served', async () => {
  const { world, bot } = await desk()
  const reply = await new Caller(world.url).get('/openapi.json')
  expect(reply.status).toBe(200)
  const operation = z.looseObject({
    summary: z.string(),
    responses: z.record(z.string(), z.looseObject({ description: z.string() })),
    parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).optional(),
    requestBody: z.looseObject({ content: z.record(z.string(), z.unknown()) }).optional(),
    security: z.array(z.record(z.string(), z.array(z.string()))),
  })
  const document = parsed(
    z.looseObject({
      openapi: z.string().regex(/^3\.1\.\d+$/),
      info: z.looseObject({ title: z.string(), version: z.string().regex(/^\d+\.\d+\.\d+/) }),
      paths: z.record(
        z.string().startsWith('/'),
        z.record(z.enum(['get', 'post', 'delete', 'put', 'patch']).or(z.string()), operation),
      ),
      components: z.looseObject({
        schemas: z.record(z.string(), z.unknown()),
        securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })),
      }),
    }),
    reply,
  )
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => [method, path]),
  )
  expect(listed.sort()).toEqual(SERVED.map(each => [...each]).sort())
  for (const [path, methods] of Object.entries(document.paths))
    for (const { parameters = [], security } of Object.values(methods)) {
      const named = parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name)
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
      for (const scheme of security.flatMap(each => Object.keys(each)))
        expect(Object.keys(document.components.securitySchemes)).toContain(scheme)
    }
  const references = [...reply.text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name)
  expect(references.length).toBeGreaterThan(0)
  for (const name of references) expect(Object.keys(document.components.schemas)).toContain(name)
  for (const [method, path] of SERVED) {
    const { status } = await bot.call(
      method.toUpperCase(),
      path.replace('{user}', 'u'),
      method === 'post' ? '{}' : undefined,
    )
    expect([path, [404, 405].includes(status)]).toEqual([path, false])
  }
})

test('[HTTP-3] what is not served is not_found, with a token or without', async () => {
  const { world, bot } = await desk()
  for (const caller of [bot, new Caller(world.url)])
    for (const [method, path] of [
      ['GET', '/v2/anything'],
      ['GET', '/v1/users/u'],
      ['POST', '/v1/users/u/model'],
      ['PUT', '/v1/schema'],
      ['GET', '/%2e%2e/secret'],
    ] as const)
      expect([path, ...refusalOf(await caller.call(method, path))]).toEqual([path, 404, 'not_found'])
})

test('[HTTP-4] a page shows the operations, the root leads to it, and both come with safe headers', async () => {
  const { world } = await desk()
  const nobody = new Caller(world.url)
  const page = await nobody.get('/docs')
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.text).toContain('openapi.json')
  const root = await nobody.get('/')
  expect([root.status, root.headers.get('location')]).toEqual([302, '/docs'])
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect(page.headers.get('x-frame-options')).toBe('SAMEORIGIN')
})

test('[HTTP-5] health and readiness are told to anyone', async () => {
  const { world } = await desk()
  const nobody = new Caller(world.url)
  expect([(await nobody.get('/healthz')).status, (await nobody.get('/readyz')).status]).toEqual([200, 200])
})

test('[HTTP-6] metrics count by door, operation, role and code; no user, agent, field or value is in them', async () => {
  const { world, bot } = await desk()
  await bot.observe(
    'user-canary',
    { field: 'order.field-canary.status', value: 'paid' },
    { field: 'need.issue', value: 'value-canary' },
  )
  await (await world.as('agent-canary', 'tech')).model('user-canary')
  await bot.get('/v1/users/user-canary/evidence?field=field.canary')
  const socket = await world.socket('agent-canary', 'tech')
  await socket.ask('watch', { user: 'user-canary', fields: ['need.*'] })
  await socket.ask('op-canary', {})
  await new Caller(world.url, 'token-canary').get('/v1/schema')
  const { text, headers } = await new Caller(world.url).get('/metrics')
  expect(headers.get('content-type')).toContain('text/plain')
  expect(text).not.toMatch(/canary/)
  const labels = new Set(
    [...text.matchAll(/^selfsame_(?:requests|request|upgrades)\w*\{([^}]*)\}/gm)].flatMap(([, all]) =>
      [...(all ?? '').matchAll(/(\w+)=/g)].map(([, label]) => label),
    ),
  )
  expect([...labels].sort()).toEqual(['code', 'door', 'le', 'operation', 'role'])
  expect(text).toMatch(/selfsame_requests_total\{door="http",operation="observe",role="triage",code="ok"\} 1/)
  expect(text).toMatch(
    /selfsame_requests_total\{door="http",operation="explain",role="triage",code="field_unavailable"\} 1/,
  )
  expect(text).toMatch(/selfsame_requests_total\{door="http",operation="schema",role="none",code="unauthorized"\} 1/)
  expect(text).toMatch(/selfsame_requests_total\{door="socket",operation="watch",role="tech",code="ok"\} 1/)
})

test('[HTTP-7] a body larger than the limit is too_large, with a length told or not', async () => {
  const world = await World.start({ limits: { messageBytes: 2_000 } })
  const bot = await world.as('bot', 'triage')
  const body = (size: number) => JSON.stringify({ observations: [{ field: 'need.goal', value: 'x'.repeat(size) }] })
  expect((await bot.call('POST', '/v1/users/u/observations', body(1_000))).status).toBe(200)
  expect(refusalOf(await bot.call('POST', '/v1/users/u/observations', body(2_000)))).toEqual([413, 'too_large'])
  const stream = new ReadableStream({
    start(controller) {
      for (const part of body(4_000).match(/.{1,500}/g) ?? []) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })
  const response = await fetch(`${world.url}/v1/users/u/observations`, {
    method: 'POST',
    body: stream,
    duplex: 'half',
    headers: { authorization: `Bearer ${await world.token('bot', 'triage')}` },
  })
  expect(response.status).toBe(413)
  expect(codeOf({ status: 413, headers: response.headers, text: await response.text() })).toBe('too_large')
})
