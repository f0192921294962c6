import { expect, test } from 'vitest'
import { Caller } from '../support/caller.ts'
import { Clock, SECOND } from '../support/clock.ts'
import { KeyServer } from '../support/issuer.ts'
import { World } from '../support/world.ts'

const clock = new Clock()
const now = clock.now() / SECOND
const CLAIMS = { sub: 'bot', role: 'triage', jti: 'j1', iat: now, exp: now + 60, aud: 'desk' }

const status = async (world: World, token: string) => (await new Caller(world.url, token).get('/v1/schema')).status

test('[ACC-10] tokens of an identity provider are checked against the keys it publishes', async () => {
  const issuer = await KeyServer.start()
  const world = await World.start({ clock, jwks: issuer.url, audience: 'desk' })
  const good = await issuer.token(CLAIMS)
  expect(await status(world, good)).toBe(200)
  const socket = await world.open({ token: good })
  expect(await socket.hello()).toMatchObject({ hello: { agent: 'bot', role: 'triage' } })
  const stranger = await KeyServer.start()
  for (const bad of [
    await stranger.token(CLAIMS),
    await issuer.token(CLAIMS, 'ES256', 'k2'),
    await issuer.token({ ...CLAIMS, aud: 'another' }),
    await issuer.token({ ...CLAIMS, exp: now - 1 }),
    await issuer.token({ ...CLAIMS, role: 'king' }),
    await issuer.token({ ...CLAIMS, jti: undefined }),
  ])
    expect(await status(world, bad)).toBe(401)
})

test('[ACC-11] with an identity provider the local secret makes no valid tokens', async () => {
  const issuer = await KeyServer.start()
  const world = await World.start({ clock, jwks: issuer.url })
  expect(await status(world, await world.token('bot', 'triage'))).toBe(401)
})

test('[ACC-12] while the provider is out of reach nobody is told that their token is bad', async () => {
  const issuer = await KeyServer.start()
  const nowhere = new URL(issuer.url)
  nowhere.port = '1'
  const world = await World.start({ clock, jwks: nowhere })
  const token = await issuer.token(CLAIMS)
  expect(await status(world, token)).toBe(503)
  const socket = await world.open({ token })
  expect(await socket.closed).toMatchObject({ code: 1013 })
})
