import { expect, test } from 'vitest'
import type { Change, SelfsameError } from '../../client/index.ts'
import type { Definition } from '../../model/infer.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import { deskAt, scripted } from './desk-at.ts'
import { belief, modelAnswer } from './scripted-server.ts'

/** What a listener is told, one after the other. */
function listening() {
  const told: Change<Definition>[] = []
  const waiting: ((change: Change<Definition>) => void)[] = []
  return {
    hear: (change: Change<Definition>) => {
      const next = waiting.shift()
      if (next) next(change)
      else told.push(change)
    },
    next: (): Promise<Change<Definition>> => {
      const first = told.shift()
      return first ? Promise.resolve(first) : new Promise(resolve => waiting.push(resolve))
    },
    told,
  }
}

const change = (watch: number, beliefs: object, version = 'v2') => ({ watch, user: 'u_42', version, asOf: 3, beliefs })

test('[SDK-26] a watch tells what is believed when it begins, then what changes', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const { hear, next } = listening()
  desk.user('u_42').watch(['emotion.*'], hear, { task: 't1' })
  const asked = await peer.asked()
  expect(asked).toMatchObject({ op: 'watch', user: 'u_42', fields: ['emotion.*'], task: 't1' })
  peer.answer(asked, modelAnswer({ 'emotion.state': belief('calm') }, 'v1', 2))
  expect(await next()).toEqual({
    user: 'u_42',
    version: 'v1',
    asOf: 2,
    beliefs: { 'emotion.state': belief('calm') },
  })
  peer.send(change(asked.id, { 'emotion.state': belief('angry'), 'emotion.trust': belief('low') }))
  expect(await next()).toMatchObject({
    version: 'v2',
    beliefs: { 'emotion.state': { value: 'angry' }, 'emotion.trust': { value: 'low' } },
  })
  peer.send(change(asked.id, { 'emotion.trust': null }))
  expect((await next()).beliefs).toEqual({ 'emotion.trust': null })
})

test('[SDK-26] a watch that was stopped is told nothing more, and the server neither', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const stopped = listening()
  const other = listening()
  const stop = desk.user('u_42').watch(['**'], stopped.hear)
  desk.user('u_42').watch(['**'], other.hear)
  const [first, second] = [await peer.asked(), await peer.asked()]
  peer.answer(first, modelAnswer({}))
  peer.answer(second, modelAnswer({}))
  stop()
  stop()
  expect(await peer.asked()).toMatchObject({ op: 'unwatch', watch: first.id })
  peer.send(change(first.id, { 'need.issue': belief('x') }))
  peer.send(change(second.id, { 'need.issue': belief('x') }))
  await other.next()
  expect(stopped.told).toEqual([])
  peer.drop()
  const next = await server.greeted()
  expect(await next.asked()).toMatchObject({ op: 'watch' })
  expect(next.unread).toBe(0)
})

test('[SDK-27] after a reconnect a watch goes on, and tells what changed meanwhile and nothing else', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const { hear, next, told } = listening()
  desk.user('u_42').watch(['**'], hear)
  const first = await peer.asked()
  peer.answer(first, modelAnswer({ 'need.issue': belief('a'), 'need.goal': belief('b'), 'need.order': belief('c') }))
  await next()
  peer.send(change(first.id, { 'need.goal': belief('b2'), 'need.urgency': belief('high') }))
  await next()
  peer.drop()
  const peer2 = await server.greeted()
  const second = await peer2.asked()
  expect(second).toMatchObject({ op: 'watch', fields: ['**'] })
  const now = {
    'need.issue': belief('a', { confidence: 0.7, uncertainty: 0.3 }),
    'need.goal': belief('b2'),
    'need.order': belief('c', { status: 'stale' }),
    'need.deadline': belief('friday'),
  }
  peer2.answer(second, modelAnswer(now, 'v8', 9))
  expect(await next()).toEqual({
    user: 'u_42',
    version: 'v8',
    asOf: 9,
    beliefs: { 'need.order': now['need.order'], 'need.deadline': now['need.deadline'], 'need.urgency': null },
  })
  peer2.send(change(second.id, { 'need.issue': belief('z') }))
  expect((await next()).beliefs).toEqual({ 'need.issue': belief('z') })
  expect(told).toEqual([])
})

test('[SDK-28] told that changes were left out, a watch reads anew and tells what differs', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const { hear, next, told } = listening()
  desk.user('u_42').watch(['**'], hear)
  const first = await peer.asked()
  peer.answer(first, modelAnswer({ 'need.issue': belief('a'), 'need.goal': belief('b') }))
  await next()
  peer.send({ watch: first.id, user: 'u_42', resync: true })
  expect(await peer.asked()).toMatchObject({ op: 'unwatch', watch: first.id })
  const second = await peer.asked()
  expect(second).toMatchObject({ op: 'watch', user: 'u_42', fields: ['**'] })
  peer.send(change(first.id, { 'need.issue': belief('of the former watch') }))
  peer.answer(second, modelAnswer({ 'need.issue': belief('a2'), 'need.goal': belief('b') }))
  expect((await next()).beliefs).toEqual({ 'need.issue': belief('a2') })
  peer.send(change(second.id, { 'need.goal': null }))
  expect((await next()).beliefs).toEqual({ 'need.goal': null })
  expect(told).toEqual([])
})

test('[SDK-28] a watch made while there is no connection begins when there is one', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const { hear, next } = listening()
  peer.drop()
  await peer.closed()
  desk.user('u_42').watch(['**'], hear)
  const peer2 = await server.greeted()
  peer2.answer(await peer2.asked(), modelAnswer({ 'need.issue': belief('a') }))
  expect((await next()).beliefs).toEqual({ 'need.issue': belief('a') })
})

test('[SDK-29] a watch refused for the moment is asked for again; one refused for good says so and ends', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const { hear, next } = listening()
  const failed = new Promise<Error>(resolve => {
    desk.user('u_43').watch(['**'], hear, { onError: resolve })
  })
  peer.refuse(await peer.asked(), 'user_unavailable')
  expect(await failed).toMatchObject({ code: 'user_unavailable' })

  desk.user('u_42').watch(['**'], hear)
  peer.refuse(await peer.asked(), 'overloaded')
  peer.answer(await peer.asked(), modelAnswer({ 'need.issue': belief('a') }))
  await next()
  peer.drop()
  const peer2 = await server.greeted()
  expect(await peer2.asked()).toMatchObject({ user: 'u_42' })
  expect(peer2.unread).toBe(0)
})

test('[SDK-29] watches are told when the connection ends for good, and not when it is closed', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const ended = new Promise<Error>(resolve => {
    desk.user('u_42').watch(['**'], () => undefined, { onError: resolve })
  })
  await peer.asked()
  peer.close(CLOSE.unauthorized)
  expect(await ended).toMatchObject({ code: 'unauthorized' })

  const other = await deskAt(server)
  const errors: Error[] = []
  other.desk.user('u_42').watch(['**'], () => undefined, { onError: error => errors.push(error) })
  await other.peer.asked()
  await other.desk.close()
  expect(errors).toEqual([])
})

test('[SDK-30] there is a bound to the watches of one connection', async () => {
  const server = await scripted()
  const { desk } = await deskAt(server)
  const user = desk.user('u_42')
  const stops = Array.from({ length: 1_000 }, () => user.watch(['**'], () => undefined))
  const refused: Partial<SelfsameError> = { code: 'overloaded' }
  expect(() => user.watch(['**'], () => undefined)).toThrow(expect.objectContaining(refused))
  stops[0]?.()
  user.watch(['**'], () => undefined)
})
