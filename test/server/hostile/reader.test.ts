import { once } from 'node:events'
import { expect, test } from 'vitest'
import { Serving } from '../process/serving.ts'
import { underAttack } from './attack.ts'
import { Peer } from './peer.ts'
import { frame, Wire } from './wire.ts'

const LIMITS = {
  sendQueueBytes: 65_536,
  sendQueueMaximum: 67_108_864,
  slowReaderDeadline: 60_000,
  heartbeat: 60_000,
  tokenCheck: 50,
  requestsPerSecond: 100_000,
  requestBurst: 100_000,
}

/** Twenty watches and as many words of 16,000 characters: more than the system keeps between two processes. */
const WATCHES = 20
const WORDS = 20
const TEXT = 'x'.repeat(16_000)

async function watching(server: Serving, agent: string, watches = WATCHES): Promise<Peer> {
  const peer = await Peer.connect(server, agent)
  for (let i = 0; i < watches; i++)
    expect(await peer.ask('watch', { user: 'u_seen', fields: ['need.*'] })).toHaveProperty('ok')
  return peer
}

async function write(writer: Peer, name: string): Promise<void> {
  const observations = [{ field: 'need.goal', value: `${name} ${TEXT}` }]
  const answer = await writer.ask('observe', { user: 'u_seen', observations })
  expect(answer).toMatchObject({ ok: { outcomes: [{ status: 'admitted' }] } })
}

async function writeMany(writer: Peer, round: number): Promise<void> {
  for (let i = 0; i < WORDS; i++) await write(writer, `${round}-${i}`)
}

test('[HOST-40] a watcher that does not read is left out, and told to read anew once it does; others are told all', async () => {
  const server = await Serving.limited(LIMITS)
  const stalled = await watching(server, 'stalled')
  const reading = await watching(server, 'reading', 1)
  const writer = await Peer.connect(server, 'writer')
  stalled.socket.pause()
  await underAttack(server, round => writeMany(writer, round))
  stalled.socket.resume()
  await stalled.frame(({ resync }) => resync === true)
  expect(stalled.frames.length, 'what it was told').toBeLessThan(WATCHES * reading.frames.length)
  expect(reading.frames.filter(({ resync }) => resync)).toEqual([])
  await stalled.ask('model', { user: 'u_seen' })
  await write(writer, 'and now')
  await stalled.frame(told => JSON.stringify(told).includes('and now'))
})

test('[HOST-41] who stays slow for too long is closed with 4508', async () => {
  const server = await Serving.limited({ ...LIMITS, slowReaderDeadline: 200, messageDeadline: 30_000 })
  const stalled = await watching(server, 'stalled')
  const writer = await Peer.connect(server, 'writer')
  stalled.socket.pause()
  await underAttack(server, round => writeMany(writer, round))
  stalled.socket.resume()
  expect(await stalled.closed).toMatchObject({ code: 4508 })
})

test('[HOST-42] who asks and does not read the answers is cut at the bound of what waits for it', async () => {
  const server = await Serving.limited({ ...LIMITS, sendQueueMaximum: 1_048_576, messageDeadline: 100 })
  await write(await Peer.connect(server, 'writer'), 'much')
  const questions = Array.from({ length: 1_000 }, (_, id) => frame(`{"id":${id},"op":"model","user":"u_seen"}`))
  await underAttack(server, async () => {
    const wire = await Wire.upgraded(server, 'greedy')
    wire.socket.pause()
    wire.socket.write(Buffer.concat(questions))
    await wire.trickle(frame('', { opcode: 10 }))
  })
})

test('[HOST-43] a peer that is gone without a word is noticed after two heartbeats', async () => {
  const server = await Serving.limited({ ...LIMITS, heartbeat: 150 })
  const alive = await Peer.connect(server, 'alive')
  const gone = await Peer.connect(server, 'gone')
  gone.socket.pause()
  await underAttack(server, async () => {
    await once(alive.socket, 'ping')
  })
  gone.socket.resume()
  expect(await gone.closed).toMatchObject({ code: 1006 })
  expect(await alive.ask('schema')).toHaveProperty('ok')
})
