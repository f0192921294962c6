import { expect, test } from 'vitest'
import { Serving } from '../process/serving.ts'
import { underAttack } from './attack.ts'
import { type Answer, Peer } from './peer.ts'

const codeOf = ({ error }: Answer): string => error?.code ?? 'ok'

const count = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[codeOf(answer)] = (counts[codeOf(answer)] ?? 0) + 1
  return counts
}

test('[HOST-20] requests beyond those in flight are refused as `overloaded`, and every request is answered once', async () => {
  const server = await Serving.limited({ requestsInFlight: 10, requestsPerSecond: 100_000, requestBurst: 100_000 })
  await underAttack(server, async round => {
    const peer = await Peer.connect(server, `bot-${round}`)
    const ids = Array.from({ length: 500 }, (_, i) =>
      peer.say('observe', {
        user: 'u_flood',
        observations: [{ field: 'need.issue', value: `v${i}`, id: `${round}-${i}` }],
      }),
    )
    const counts = count(await Promise.all(ids.map(id => peer.answer(id))))
    expect(Object.keys(counts).sort()).toEqual(['ok', 'overloaded'])
    expect(counts['ok']).toBeGreaterThanOrEqual(10)
    expect(await peer.ask('schema'), 'afterwards').toHaveProperty('ok')
    peer.socket.close()
  })
})

test('[HOST-21] requests beyond the rate of an agent are refused as `rate_limited`; other agents have their own', async () => {
  const server = await Serving.limited({ requestsPerSecond: 10, requestBurst: 50 })
  const [flooding, second, other] = [
    await Peer.connect(server, 'bot'),
    await Peer.connect(server, 'bot'),
    await Peer.connect(server, 'other'),
  ]
  const ids = Array.from({ length: 300 }, () => flooding.say('model', { user: 'u' }))
  const counts = count(await Promise.all(ids.map(id => flooding.answer(id))))
  expect(counts['ok']).toBeGreaterThanOrEqual(50)
  expect(counts['ok']).toBeLessThan(150)
  expect(counts['rate_limited']).toBe(300 - (counts['ok'] ?? 0))
  expect(codeOf(await second.ask('model', { user: 'u' })), 'another connection of the agent').toBe('rate_limited')
  expect(codeOf(await other.ask('model', { user: 'u' }))).toBe('ok')
})

test('[HOST-22] floods far beyond the rate, over many connections, leave others served', async () => {
  const server = await Serving.limited({ requestsPerSecond: 2_000, requestBurst: 2_000 })
  const peers = await Promise.all(Array.from({ length: 10 }, () => Peer.connect(server, 'bot')))
  await underAttack(server, async () => {
    const ids = peers.map(peer => Array.from({ length: 200 }, () => peer.say('model', { user: 'u_flood' })))
    await Promise.all(peers.flatMap((peer, i) => (ids[i] ?? []).map(id => peer.answer(id))))
  })
})

test('[HOST-23] who sends pings faster than it reads the answers is cut, and others are served', async () => {
  const server = await Serving.limited({ requestsPerSecond: 100_000, requestBurst: 100_000 })
  await underAttack(server, async () => {
    const peer = await Peer.connect(server, 'bot')
    for (let i = 0; i < 2_000; i++) peer.socket.ping('x'.repeat(100))
    await peer.closed
  })
})
