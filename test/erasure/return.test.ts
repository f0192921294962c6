import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { fileReplica } from '../../client/node.ts'
import { COPY } from '../../server/store/archive.ts'
import { guarded } from '../audit/schema.ts'
import { deskOf } from '../handoff/desk.ts'
import { provide } from '../replica/provided.ts'
import { scratch } from '../server/process/program.ts'
import { DAY, MINUTE } from '../server/support/clock.ts'
import { World } from '../server/support/world.ts'

const NOTE = 'open.note'
const PATIENCE = { timeout: 10_000 }

async function eraseAt(world: World): Promise<void> {
  world.clock.advance(MINUTE)
  await (await world.as('c', 'chief')).call('DELETE', '/v1/users/u')
  world.clock.advance(MINUTE)
}

test.each([
  [20, 'erased'],
  [31, 'time_too_old'],
])(
  '[ERA-21] a replica kept in a file from before, with words in its outbox, brings nothing back after %i days',
  async (days, code) => {
    const world = await World.start({ schema: guarded })
    const file = join(scratch(), 'u.replica')
    const desk = await deskOf(world, 'b', 'bot')
    const replica = await desk.user('u').replica({ keep: fileReplica(file) })
    await replica.observe({ [NOTE]: 'held' })
    await world.stop()
    const left = replica.observe({ [NOTE]: 'left in the outbox' })
    await vi.waitUntil(() => replica.state.name === 'offline', PATIENCE)
    await Promise.all([expect(left).rejects.toMatchObject({ code: 'disconnected' }), replica.close()])
    await desk.close({ within: 0 })
    expect(readFileSync(file).includes('left in the outbox')).toBe(true)
    await world.restart()
    await eraseAt(world)
    world.clock.advance(days * DAY)
    const again = await deskOf(world, 'b', 'bot')
    const settled: unknown[] = []
    const back = await again.user('u').replica({
      keep: fileReplica(file),
      onSettled: outcome => settled.push([outcome.status, outcome.error?.code]),
    })
    await vi.waitUntil(() => back.state.name === 'live' && back.waiting === 0, PATIENCE)
    expect(settled).toEqual([['refused', code]])
    expect([back.fields(), (await again.user('u').model()).size]).toEqual([[], 0])
    await back.close()
    for (const word of ['held', 'left']) expect(readFileSync(file).includes(word)).toBe(false)
  },
)

test('[ERA-22] an open Yjs client is closed with 4409 by an erasure, and its document is not let in again nor its outbox read', async () => {
  const world = await World.start({ schema: guarded })
  const bot = await world.as('b', 'bot')
  await bot.observe('u', { field: NOTE, value: 'old' })
  const open = await (await provide(world, 'u', 'b', 'bot')).synced()
  await eraseAt(world)
  await vi.waitUntil(() => open.closures.length > 0, PATIENCE)
  expect(open.closures).toEqual([4409])
  open.provider.destroy()
  open.outbox.set('o1', { field: NOTE, value: 'said before, as far as anyone knows' })
  const again = await provide(world, 'u', 'b', 'bot', open.doc)
  await vi.waitUntil(() => again.closures.length > 0, PATIENCE)
  expect([again.closures, again.received, again.receipts]).toEqual([[4409], [], {}])
  expect((await bot.model('u')).beliefs).toEqual({})
})

test('[ERA-23] an entry of an outbox that does not say when is refused once the user was erased; one said since is taken', async () => {
  const world = await World.start({ schema: guarded })
  const bot = await world.as('b', 'bot')
  const early = new Y.Doc()
  early.getMap('outbox').set('o1', { field: NOTE, value: 'waited in a document that was never in step' })
  await bot.observe('u', { field: NOTE, value: 'old' })
  await eraseAt(world)
  const replica = await (await provide(world, 'u', 'b', 'bot', early)).synced()
  await vi.waitUntil(() => replica.receipts['o1'] !== undefined, PATIENCE)
  expect(replica.receipts['o1']).toMatchObject({ status: 'refused', error: { code: 'erased' } })
  expect((await bot.model('u')).beliefs).toEqual({})
  replica.outbox.set('o2', { field: NOTE, value: 'new', at: world.clock.now() })
  await vi.waitUntil(() => replica.receipts['o2'] !== undefined, PATIENCE)
  expect(replica.receipts['o2']).toEqual({ status: 'admitted' })
  const other = await (await provide(world, 'never-erased', 'b', 'bot')).synced()
  other.outbox.set('o3', { field: NOTE, value: 'undated' })
  await vi.waitUntil(() => other.receipts['o3'] !== undefined, PATIENCE)
  expect(other.receipts['o3']).toEqual({ status: 'admitted' })
})

test('[ERA-24] live replicas start afresh at a restored copy: what was said since it was made does not come back by them', async () => {
  const world = await World.start({ schema: guarded })
  const copy = scratch()
  await (await world.as('b', 'bot')).observe('u', { field: NOTE, value: 'in the copy' })
  await world.stop()
  for (const part of ['keys', 'store']) cpSync(join(world.data, part), join(copy, part), { recursive: true })
  await world.restart()
  const desk = await deskOf(world, 'k', 'clerk')
  const replica = await desk.user('u').replica({ keep: fileReplica(join(copy, 'u.replica')) })
  const plain = await (await provide(world, 'u', 'b', 'bot')).synced()
  await (await world.as('b', 'bot')).observe('u', { field: NOTE, value: 'said since' })
  await vi.waitUntil(
    () => replica.get(NOTE)?.value === 'said since' && plain.words.some(([, value]) => value === 'said since'),
    PATIENCE,
  )
  plain.provider.destroy()
  await replica.close()
  await desk.close({ within: 0 })
  await world.stop()
  for (const part of ['keys', 'store']) {
    rmSync(join(world.data, part), { recursive: true })
    cpSync(join(copy, part), join(world.data, part), { recursive: true })
  }
  writeFileSync(join(world.data, COPY), '')
  await world.restart()
  const old = await provide(world, 'u', 'b', 'bot', plain.doc)
  await vi.waitUntil(() => old.closures.length > 0, PATIENCE)
  expect([old.closures, old.received]).toEqual([[4409], []])
  const fresh = await (await provide(world, 'u', 'b', 'bot')).synced()
  expect(fresh.words).toEqual([[NOTE, 'in the copy']])
  const again = await deskOf(world, 'k', 'clerk')
  const back = await again.user('u').replica({ keep: fileReplica(join(copy, 'u.replica')) })
  await vi.waitUntil(() => back.state.name === 'live', PATIENCE)
  expect(back.get(NOTE)?.value).toBe('in the copy')
  await back.close()
})
