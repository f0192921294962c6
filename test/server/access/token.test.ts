import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT, UnsecuredJWT } from 'jose'
import { expect, test } from 'vitest'
import { Caller, refusalOf } from '../support/caller.ts'
import { HOUR, SECOND } from '../support/clock.ts'
import { vault } from '../support/vault.ts'
import { World } from '../support/world.ts'

interface Claims {
  readonly [claim: string]: unknown
}

/** Tokens that differ from a good one in the claims given; undefined leaves a claim out. */
function forge(world: World, secret: Uint8Array) {
  const now = Math.floor(world.clock.now() / SECOND)
  const good = { sub: 'bot', role: 'reader', jti: 'j1', iat: now, exp: now + 3_600 }
  return (claims: Claims = {}, alg = 'HS256') =>
    new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg }).sign(secret)
}

const secretOf = (world: World): Uint8Array => Buffer.from(readFileSync(join(world.data, 'secret'), 'utf8'), 'hex')

test('[ACC-1] a valid token is let in, whatever is wrong with another it gets 401 and the same answer', async () => {
  const world = await World.start({ schema: vault })
  const make = forge(world, secretOf(world))
  const good = await make()
  expect((await new Caller(world.url, good).get('/v1/schema')).status).toBe(200)
  const now = Math.floor(world.clock.now() / SECOND)
  const [head, body, signature] = good.split('.')
  const bad: Record<string, string | undefined> = {
    missing: undefined,
    empty: '',
    'no token': 'hello',
    'three dots': 'a.b.c',
    'not base64': '%%%.%%%.%%%',
    'cut off': good.slice(0, -4),
    'no signature': `${head}.${body}.`,
    'another body': `${head}.${Buffer.from('{"sub":"bot","role":"warden"}').toString('base64url')}.${signature}`,
    expired: await make({ exp: now - 1 }),
    'long expired': await make({ exp: now - 3_600 }),
    'not valid yet': await make({ nbf: now + 60 }),
    'another secret': await forge(world, randomBytes(32))(),
    'another algorithm': await make({}, 'HS512'),
    'no algorithm': new UnsecuredJWT({ sub: 'bot', role: 'reader', jti: 'j', exp: now + 60 }).encode(),
    'no role': await make({ role: undefined }),
    'unknown role': await make({ role: 'king' }),
    'inherited role': await make({ role: 'constructor' }),
    'role that is no text': await make({ role: ['reader'] }),
    'no jti': await make({ jti: undefined }),
    'empty jti': await make({ jti: '' }),
    'no exp': await make({ exp: undefined }),
    'no sub': await make({ sub: undefined }),
    'bad sub': await make({ sub: 'a b' }),
    'long sub': await make({ sub: 'x'.repeat(129) }),
    'reserved sub': await make({ sub: '__proto__' }),
  }
  const texts = new Set<string>()
  for (const [what, token] of Object.entries(bad)) {
    const caller = new Caller(world.url, token)
    for (const path of ['/v1/schema', '/v1/users/u/model', '/v1/users/u/export']) {
      const reply = await caller.get(path)
      expect([what, ...refusalOf(reply)]).toEqual([what, 401, 'unauthorized'])
      texts.add(reply.text)
    }
    const posted = await caller.post('/v1/users/u/observations', { observations: [] })
    expect([what, ...refusalOf(posted)]).toEqual([what, 401, 'unauthorized'])
    const socket = await world.open(token === undefined ? {} : { token })
    expect([what, (await socket.closed).code]).toEqual([what, 4401])
    expect(socket.texts).toEqual([])
  }
  expect(texts.size).toBe(1)
})

test('[ACC-2] only a bearer header counts: no token in the URL, no other scheme', async () => {
  const world = await World.start()
  const token = await world.token('bot', 'triage')
  const nobody = new Caller(world.url)
  expect((await nobody.get(`/v1/schema?token=${token}&access_token=${token}`)).status).toBe(401)
  for (const header of [token, `Basic ${token}`, `Bearer`, `Bearer ${token} x`])
    expect((await nobody.call('GET', '/v1/schema', undefined, { authorization: header })).status).toBe(401)
  expect((await nobody.call('GET', '/v1/schema', undefined, { authorization: `bearer ${token}` })).status).toBe(200)
})

test('[ACC-3] a token ends by the clock of the service, over HTTP at once and on open sockets within 5 s', async () => {
  const world = await World.start({ limits: { tokenCheck: 20 } })
  const token = await world.token('bot', 'triage', HOUR)
  const caller = new Caller(world.url, token)
  const socket = await world.open({ token })
  await socket.hello()
  world.clock.advance(HOUR - SECOND)
  expect((await caller.get('/v1/schema')).status).toBe(200)
  expect(await socket.ask('schema', {})).toHaveProperty('ok')
  world.clock.advance(SECOND)
  expect((await caller.get('/v1/schema')).status).toBe(401)
  expect((await socket.closed).code).toBe(4401)
})

test('[ACC-4] the local secret and the data are readable by their owner only, and stay the same', async () => {
  const world = await World.start()
  const file = join(world.data, 'secret')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file, 'utf8')
  const token = await world.token('bot', 'triage')
  await world.restart()
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await new Caller(world.url, token).get('/v1/schema')).status).toBe(200)
})
