import { expect, test } from 'vitest'
import { Serving } from '../process/serving.ts'
import { underAttack } from './attack.ts'
import { Peer } from './peer.ts'
import { frame, upgradeHead, Wire } from './wire.ts'

const LIMITS = { messageDeadline: 300, tokenCheck: 50, requestsPerSecond: 100_000, requestBurst: 100_000 }

test('[HOST-50] floods of upgrades without a token are closed with 4401, and cut when they do not go', async () => {
  const server = await Serving.limited(LIMITS)
  await underAttack(server, async () => {
    const polite = Array.from({ length: 30 }, () => Peer.open(server.url))
    const stubborn = await Promise.all(Array.from({ length: 30 }, () => Wire.connect(server)))
    for (const wire of stubborn) wire.socket.removeAllListeners('end').write(upgradeHead('/v1/agent'))
    for (const { code } of await Promise.all(polite.map(peer => peer.closed))) expect(code).toBe(4401)
    await Promise.all(stubborn.map(wire => wire.trickle(frame('', { opcode: 9 }))))
    for (const wire of stubborn) expect(wire.closeCode).toBe(4401)
  })
})

test('[HOST-51] upgrades to elsewhere, with a reset behind them, harm nobody', async () => {
  const server = await Serving.limited(LIMITS)
  await underAttack(server, async () => {
    const wires = await Promise.all(Array.from({ length: 30 }, () => Wire.connect(server)))
    for (const [i, wire] of wires.entries()) {
      wire.socket.write(upgradeHead(i % 2 === 0 ? '/elsewhere' : '/v1/agent') + 'x'.repeat(10_000))
      wire.socket.resetAndDestroy()
    }
    const patient = await Wire.connect(server)
    patient.socket.write(upgradeHead('/elsewhere'))
    await patient.closed
    expect(patient.received).toMatch(/^HTTP\/1\.1 404 /)
  })
})

test('[HOST-52] beyond the limit of connections upgrades get 503; those who are in are served, and so are operators', async () => {
  const server = await Serving.limited({ ...LIMITS, connections: 24 })
  const peers = await Promise.all(Array.from({ length: 23 }, (_, i) => Peer.connect(server, `bot-${i}`)))
  await underAttack(server, async () => {
    const wire = await Wire.connect(server)
    wire.socket.write(upgradeHead('/v1/agent', `Authorization: Bearer ${await server.token('late')}\r\n`))
    await wire.closed
    expect(wire.received).toMatch(/^HTTP\/1\.1 503 /)
    expect((await fetch(`${server.url}/healthz`, { headers: { connection: 'close' } })).status).toBe(200)
  })
  peers[0]?.socket.close()
  await peers[0]?.closed
  expect(await (await Peer.connect(server, 'late')).ask('schema')).toHaveProperty('ok')
})

test('[HOST-53] beyond its own limit of connections an agent is closed with 4403, and others are not', async () => {
  const server = await Serving.limited({ ...LIMITS, connectionsPerAgent: 3 })
  const mine = [await Peer.connect(server, 'bot'), await Peer.connect(server, 'bot'), await Peer.connect(server, 'bot')]
  const authorization = `Bearer ${await server.token('bot')}`
  expect(await Peer.open(server.url, { authorization }).closed).toMatchObject({ code: 4403 })
  expect(await (await Peer.connect(server, 'other')).ask('schema')).toHaveProperty('ok')
  mine[0]?.socket.close()
  await mine[0]?.closed
  expect(await (await Peer.connect(server, 'bot')).ask('schema')).toHaveProperty('ok')
})
