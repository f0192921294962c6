import { once } from 'node:events'
import { expect, test } from 'vitest'
import { Serving } from '../process/serving.ts'
import { underAttack } from './attack.ts'
import { Peer } from './peer.ts'
import { frame, Wire } from './wire.ts'

const LIMITS = {
  headersDeadline: 300,
  requestDeadline: 600,
  messageDeadline: 300,
  tokenCheck: 50,
  heartbeat: 10_000,
  requestsPerSecond: 100_000,
  requestBurst: 100_000,
}

test('[HOST-30] headers that come drop by drop are cut at the deadline', async () => {
  const server = await Serving.limited(LIMITS)
  await underAttack(server, async () => {
    const wires = await Promise.all(Array.from({ length: 50 }, () => Wire.connect(server)))
    for (const wire of wires) wire.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
    await Promise.all(wires.map(wire => wire.trickle('X-Slow: 1\r\n')))
    for (const wire of wires) expect(wire.received).toMatch(/^(HTTP\/1\.1 408 |$)/)
  })
})

test('[HOST-31] a body that comes drop by drop is cut at the deadline of the request', async () => {
  const server = await Serving.limited(LIMITS)
  const wire = await Wire.connect(server)
  const token = await server.token('bot')
  const head = `POST /v1/users/u/observations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
  wire.socket.write(`${head}Content-Length: 1000\r\n\r\n`)
  await wire.trickle('{')
  expect(wire.received).not.toContain('200 OK')
})

test('[HOST-32] a connection that says nothing at all is cut', async () => {
  const server = await Serving.limited(LIMITS)
  const wire = await Wire.connect(server)
  await wire.closed
})

test('[HOST-33] a message that is not complete in time ends its connection with 4508, whatever pings come in between', async () => {
  const server = await Serving.limited(LIMITS)
  await underAttack(server, async () => {
    const wires = await Promise.all(Array.from({ length: 20 }, () => Wire.upgraded(server, 'bot')))
    const begun = frame('{"id":1,', { fin: false })
    for (const [i, wire] of wires.entries()) wire.socket.write(i % 2 === 0 ? begun : frame('{"id":1}').subarray(0, 9))
    const ping = frame('', { opcode: 9 })
    await Promise.all(wires.map((wire, i) => (i % 2 === 0 ? wire.trickle(ping) : wire.closed)))
    for (const wire of wires) expect(wire.closeCode).toBe(4508)
  })
})

test('[HOST-34] the deadline of messages is not that of connections: who has said all it wanted may stay', async () => {
  const server = await Serving.limited({ ...LIMITS, heartbeat: 200 })
  const peer = await Peer.connect(server, 'bot')
  await peer.ask('schema')
  // Six heartbeats, each longer than half of the deadline.
  for (let i = 0; i < 6; i++) await once(peer.socket, 'ping')
  expect(await peer.ask('schema')).toHaveProperty('ok')
})

test('[HOST-35] who asks over HTTP and does not read the answers is cut', async () => {
  const server = await Serving.limited(LIMITS)
  const honest = await Peer.connect(server, 'honest')
  const observations = Array.from({ length: 100 }, (_, i) => ({ field: `order.o${i}.status`, value: 'paid' }))
  await honest.ask('observe', { user: 'u_big', observations })
  const authorization = `Authorization: Bearer ${await server.token('bot')}`
  const ask = `GET /v1/users/u_big/model HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`
  await underAttack(server, async () => {
    const wire = await Wire.connect(server)
    wire.socket.pause()
    wire.socket.write(ask.repeat(2_000))
    // Who does not read hears of the end only by what it can no longer write.
    await wire.trickle(ask)
  })
})
