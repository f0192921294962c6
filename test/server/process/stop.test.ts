import { expect, test } from 'vitest'
import { type Answer, Peer } from '../hostile/peer.ts'
import { missing, sourcesOf, twice } from './exported.ts'
import { scratch } from './program.ts'
import { Serving } from './serving.ts'

const COUNT = 300

const observation = (id: string) => ({ field: 'need.issue', value: id, id, source: id })

const isAdmitted = (answer: Answer | undefined): boolean => JSON.stringify(answer ?? null).includes('"admitted"')

test('[PROC-5] asked to stop under load, a server answers what it has taken up, closes with 1001 and ends with code 0', async () => {
  const data = scratch()
  const before = await Serving.serve(data)
  const peers = [await Peer.connect(before, 'ann'), await Peer.connect(before, 'ben')]
  const watcher = await Peer.connect(before, 'cy')
  await watcher.ask('watch', { user: 'u_1', fields: ['**'] })
  const ids = peers.flatMap((_, p) => Array.from({ length: COUNT }, (_, i) => ({ p, id: `${p}-${i}` })))
  const settled = ids.map(async ({ p, id }) => {
    const answer = await peers[p]
      ?.ask('observe', { user: 'u_1', observations: [observation(id)] })
      .catch(() => undefined)
    return { id, answer }
  })
  await Promise.race(settled)
  before.program.signal('SIGTERM')
  expect(await before.program.ended, before.program.errors).toEqual({ code: 0, signal: null })
  for (const peer of [...peers, watcher]) expect(await peer.closed).toMatchObject({ code: 1001 })

  const answers = await Promise.all(settled)
  for (const { answer } of answers)
    if (answer && !isAdmitted(answer)) expect(answer).toMatchObject({ error: { code: 'stopped' } })
  const after = await Serving.serve(data, before.port)
  const acknowledged = answers.filter(({ answer }) => isAdmitted(answer)).map(({ id }) => id)
  expect(acknowledged.length).toBeGreaterThan(0)
  expect(missing(acknowledged, await sourcesOf(after, ['u_1']))).toEqual([])

  const again = [await Peer.connect(after, 'ann'), await Peer.connect(after, 'ben')]
  const resent = ids.map(({ p, id }) => again[p]?.ask('observe', { user: 'u_1', observations: [observation(id)] }))
  for (const answer of await Promise.all(resent)) expect(isAdmitted(answer)).toBe(true)
  const sources = await sourcesOf(after, ['u_1'])
  expect(sources.length).toBe(ids.length)
  expect(twice(sources)).toEqual([])
})

test('[PROC-6] asked to stop, a server answers the requests it is working on over HTTP and takes no more', async () => {
  const data = scratch()
  const before = await Serving.serve(data)
  const headers = { authorization: `Bearer ${await before.token('bot')}` }
  const post = async (id: string) => {
    const body = JSON.stringify({ observations: [observation(id)] })
    const response = await fetch(`${before.url}/v1/users/u_1/observations`, { method: 'POST', headers, body })
    return { id, text: await response.text() }
  }
  const posts = Array.from({ length: COUNT }, (_, i) => post(`p-${i}`).catch(() => undefined))
  await Promise.race(posts)
  before.program.signal('SIGTERM')
  expect(await before.program.ended, before.program.errors).toEqual({ code: 0, signal: null })
  const answered = (await Promise.all(posts)).filter(answer => answer !== undefined)
  const admitted = answered.filter(({ text }) => text.includes('"admitted"')).map(({ id }) => id)
  expect(admitted.length).toBe(answered.length)
  expect(admitted.length).toBeGreaterThan(0)
  await expect(fetch(`${before.url}/healthz`)).rejects.toThrow()
  const after = await Serving.serve(data, before.port)
  expect(missing(admitted, await sourcesOf(after, ['u_1']))).toEqual([])
})

test('[PROC-7] a peer that does not hear of it can not keep a server from stopping', async () => {
  const server = await Serving.serve(scratch())
  const peer = await Peer.connect(server, 'deaf')
  peer.socket.pause()
  server.program.signal('SIGTERM')
  expect(await server.program.ended).toEqual({ code: 0, signal: null })
})
