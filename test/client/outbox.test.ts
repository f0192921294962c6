import { expect, test } from 'vitest'
import type { Entry, Place, Settlement } from '../../client/index.ts'
import { MAX_WRITES } from '../../client/outbox.ts'
import { connecting, deskAt, scripted } from './desk-at.ts'
import { idsOf } from './scripted-server.ts'

/** A place whose writes take as long as the test wants. */
class SlowPlace implements Place {
  readonly kept: Entry[]
  readonly #waiting: { entry: Entry; done: () => void; fail: (error: Error) => void }[] = []

  constructor(kept: Entry[] = []) {
    this.kept = kept
  }

  async load() {
    return [...this.kept]
  }

  append(entry: Entry): Promise<void> {
    return new Promise((done, fail) => this.#waiting.push({ entry, done, fail }))
  }

  async remove(key: string): Promise<void> {
    const found = this.kept.findIndex(entry => entry.key === key)
    this.kept.splice(found, 1)
  }

  async close() {}

  /** Lets one append come to its end; they may do so in any order. */
  finish(which: number, error?: Error): void {
    const [waiting] = this.#waiting.splice(which, 1)
    if (!waiting) throw new Error('Nothing is being written.')
    if (!error) this.kept.push(waiting.entry)
    if (error) waiting.fail(error)
    else waiting.done()
  }
}

const left = (agent: string, value: string): Entry => ({
  key: `key-${value}`,
  agent,
  user: 'u_42',
  op: 'observe',
  observations: [{ id: `id-${value}`, field: 'need.issue', value, at: 5 }],
})

const valueIn = (asked: { observations?: readonly object[] }) => Reflect.get(asked.observations?.[0] ?? {}, 'value')

test('[SDK-10] a full outbox refuses with overloaded and takes writes again when some were answered', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  peer.drop()
  const waiting = Array.from({ length: MAX_WRITES }, () => user.observe({ 'need.issue': 'x' }))
  await expect(user.observe({ 'need.issue': 'x' })).rejects.toMatchObject({ code: 'overloaded' })
  const next = await server.greeted()
  for (const _ of waiting) next.admit(await next.asked())
  await Promise.all(waiting)
  const more = user.observe({ 'need.issue': 'x' })
  next.admit(await next.asked())
  await more
})

test('[SDK-11] nothing is sent before its place has kept it, and the order is that of the calls', async () => {
  const server = await scripted()
  const place = new SlowPlace()
  const { desk, peer } = await deskAt(server, { outbox: place })
  const user = desk.user('u_42')
  const written = ['a', 'b', 'c'].map(name => user.observe({ 'need.issue': name }))
  place.finish(2)
  place.finish(1)
  const read = user.explain('need.issue')
  const first = await peer.asked()
  expect(first.op).toBe('explain')
  peer.answer(first, {})
  await read
  place.finish(0)
  const asked = [await peer.asked(), await peer.asked(), await peer.asked()]
  expect(asked.map(valueIn)).toEqual(['a', 'b', 'c'])
  for (const one of asked) peer.admit(one)
  await Promise.all(written)
  expect(place.kept).toEqual([])
})

test('[SDK-11] a write its place can not keep is rejected with the reason and never sent', async () => {
  const server = await scripted()
  const place = new SlowPlace()
  const { desk, peer } = await deskAt(server, { outbox: place })
  const user = desk.user('u_42')
  const first = user.observe({ 'need.issue': 'a' })
  const second = user.observe({ 'need.issue': 'b' })
  place.finish(1)
  place.finish(0, new Error('the disk is full'))
  await expect(first).rejects.toThrow('the disk is full')
  const asked = await peer.asked()
  expect(valueIn(asked)).toBe('b')
  peer.admit(asked)
  await second
})

test('[SDK-12] what an earlier process left is sent first, with the same ids, and its outcome is told', async () => {
  const server = await scripted()
  const place = new SlowPlace([left('ava', 'a'), left('ava', 'b')])
  const settled: Settlement[] = []
  const { desk, peer } = await deskAt(server, { outbox: place, onSettled: one => settled.push(one) })
  const written = desk.user('u_42').observe({ 'need.issue': 'c' })
  place.finish(0)
  const [a, b, c] = [await peer.asked(), await peer.asked(), await peer.asked()]
  expect([a, b, c].map(valueIn)).toEqual(['a', 'b', 'c'])
  expect(idsOf(a)).toEqual(['id-a'])
  peer.admit(a, 'v5')
  peer.answer(b, {
    version: 'v5',
    outcomes: [{ id: 'id-b', status: 'refused', error: { code: 'bad_value', message: 'no' } }],
  })
  peer.admit(c)
  await written
  expect(settled).toMatchObject([
    { user: 'u_42', entry: { key: 'key-a' }, result: { version: 'v5' } },
    { user: 'u_42', entry: { key: 'key-b' }, result: { code: 'bad_value' } },
  ])
  expect(place.kept).toEqual([])
})

test('[SDK-12] an outbox of another agent is not sent', async () => {
  const server = await scripted()
  const place = new SlowPlace([left('ben', 'a')])
  const desk = connecting(server, { outbox: place })
  const peer = await server.greeted()
  await expect(desk).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('ben') })
  await peer.closed()
  expect(peer.unread).toBe(0)
  expect(place.kept).toHaveLength(1)
})

test('[SDK-13] a write that is not answered in time rejects with timed_out, is still sent, and its outcome told', async () => {
  const server = await scripted()
  let tell: (settlement: Settlement) => void = () => undefined
  const settled = new Promise<Settlement>(resolve => {
    tell = resolve
  })
  const { desk, peer } = await deskAt(server, { timeout: 30, onSettled: one => tell(one) })
  const written = desk.user('u_42').observe({ 'need.issue': 'a' })
  const first = await peer.asked()
  await expect(written).rejects.toMatchObject({ code: 'timed_out' })
  peer.drop()
  const next = await server.greeted()
  const again = await next.asked()
  expect(idsOf(again)).toEqual(idsOf(first))
  next.admit(again, 'v9')
  expect(await settled).toMatchObject({ user: 'u_42', result: { version: 'v9', outcomes: [{ status: 'admitted' }] } })
})

test('[SDK-14] close waits for writes, rejects reads at once, and takes nothing new', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  const read = user.model()
  const written = user.observe({ 'need.issue': 'a' })
  await peer.asked()
  const asked = await peer.asked()
  const closed = desk.close()
  await expect(read).rejects.toMatchObject({ code: 'disconnected' })
  await expect(user.observe({ 'need.issue': 'b' })).rejects.toMatchObject({ code: 'disconnected' })
  await expect(user.model()).rejects.toMatchObject({ code: 'disconnected' })
  expect(() => user.watch(['**'], () => undefined)).toThrow()
  peer.admit(asked)
  await Promise.all([written, closed, peer.closed()])
  expect(peer.unread).toBe(0)
})

test('[SDK-14] what is unanswered when close gives up is rejected and stays in its place', async () => {
  const server = await scripted()
  const place = new SlowPlace()
  const { desk, peer } = await deskAt(server, { outbox: place })
  const written = desk.user('u_42').observe({ 'need.issue': 'a' })
  place.finish(0)
  await peer.asked()
  const closed = desk.close({ within: 10 })
  await expect(written).rejects.toMatchObject({ code: 'disconnected' })
  await closed
  expect(place.kept).toMatchObject([{ op: 'observe', observations: [{ value: 'a' }] }])
})
