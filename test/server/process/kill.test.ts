import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Peer } from '../hostile/peer.ts'
import { Agent } from './agent.ts'
import { missing, sourcesOf, twice } from './exported.ts'
import { scratch } from './program.ts'
import { Serving } from './serving.ts'

const ROUNDS = process.env['SELFSAME_LONG'] === '1' ? 50 : 5
const USERS = ['u_1', 'u_2']
const MOST = 300

async function kill(server: Serving): Promise<void> {
  server.program.signal('SIGKILL')
  expect((await server.program.ended).signal).toBe('SIGKILL')
}

test(`[PROC-2] killed ${ROUNDS} times under load, with its agents, a server has all that was acknowledged or shown, once`, async () => {
  const [data, outboxes] = [scratch(), scratch()]
  const known: string[] = []
  let port = 0
  for (let round = 0; round < ROUNDS; round++) {
    const server = await Serving.serve(data, port)
    port = server.port
    const sources = await sourcesOf(server, USERS)
    expect(missing(known, sources), `before round ${round}`).toEqual([])
    const agents = await Promise.all(
      ['ann', 'ben'].map(agent =>
        Agent.start(server, { agent, name: `${agent}-${round}`, users: USERS, outbox: join(outboxes, agent) }),
      ),
    )
    await agents[round % 2]?.acknowledges(randomInt(1, MOST))
    await kill(server)
    for (const { program } of agents) program.signal('SIGKILL')
    await Promise.all(agents.map(({ program }) => program.ended))
    for (const agent of agents) {
      expect(agent.failures).toEqual([])
      known.push(...agent.known)
    }
  }
  const server = await Serving.serve(data, port)
  for (const agent of ['ann', 'ben']) {
    const outbox = join(outboxes, agent)
    await (await Agent.start(server, { agent, name: 'none', users: USERS, outbox, most: 0 })).finish()
  }
  const sources = await sourcesOf(server, USERS)
  expect(missing(known, sources)).toEqual([])
  expect(twice(sources)).toEqual([])
}, 600_000)

test('[PROC-3] after a kill every id that was not answered gets one definite outcome, however often it is sent again', async () => {
  const data = scratch()
  const before = await Serving.serve(data)
  const peer = await Peer.connect(before, 'bot')
  const ids = Array.from({ length: 400 }, (_, i) => `id-${i}`)
  const observe = (by: Peer, id: string) =>
    by.say('observe', { user: 'u_1', observations: [{ field: 'need.issue', value: id, id, source: id }] })
  const asked = ids.map(id => observe(peer, id))
  await peer.answer(asked[randomInt(0, 200)] ?? 0)
  await kill(before)
  const after = await Serving.serve(data, before.port)
  const again = await Peer.connect(after, 'bot')
  for (const _ of ['once', 'twice']) {
    const answers = await Promise.all(ids.map(id => again.answer(observe(again, id))))
    for (const answer of answers) expect(answer).toMatchObject({ ok: { outcomes: [{ status: 'admitted' }] } })
  }
  expect((await sourcesOf(after, ['u_1'])).sort()).toEqual([...ids].sort())
})

test('[PROC-4] an agent comes back to a restarted server by itself, and what was under way is settled under the same ids', async () => {
  const data = scratch()
  const before = await Serving.serve(data)
  const agent = await Agent.start(before, { agent: 'ann', name: 'ann', users: USERS })
  await agent.acknowledges(randomInt(50, 200))
  await kill(before)
  const acknowledged = agent.acknowledged.length
  const after = await Serving.serve(data, before.port)
  await agent.acknowledges(acknowledged + 50)
  await agent.finish()
  expect(agent.failures).toEqual([])
  const sources = await sourcesOf(after, USERS)
  expect(missing(agent.known, sources)).toEqual([])
  expect(sources.length).toBe(agent.acknowledged.length)
  expect(twice(sources)).toEqual([])
})
