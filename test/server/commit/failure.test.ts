import { expect, test } from 'vitest'
import type { MemoryDisk } from '../../../server/store/memory-cells.ts'
import { refusalOf, statuses } from '../support/caller.ts'
import { Disk } from '../support/disk.ts'
import { World } from '../support/world.ts'

const issue = (id: string) => ({ id, field: 'need.issue', value: id, interaction: id })

async function broken() {
  const disk = new Disk()
  const world = await World.start({ archive: disk.archive() })
  const bot = await world.as('bot', 'triage')
  const socket = await world.socket('eye', 'triage')
  await socket.ask('watch', { user: 'u', fields: ['**'] })
  await bot.observe('u', issue('kept'))
  await socket.frame(frame => 'beliefs' in frame)
  return { disk, world, bot, socket }
}

test('[ROOM-40] after a failed sync nothing more is acknowledged, told or served, and the service says so', async () => {
  const { disk, world, bot, socket } = await broken()
  const held = disk.hold()
  const waiting = bot.post('/v1/users/u/observations', { observations: [issue('a')] })
  await held
  const frames = socket.texts.length
  disk.break()
  const reply = await waiting.catch(() => undefined)
  if (reply) expect(refusalOf(reply)).toEqual([503, 'stopped'])
  expect((await world.service.failed).message).toContain('EIO')
  expect((await socket.closed).code).toBe(1001)
  expect(socket.texts.slice(frames)).toEqual([])
  await expect(bot.get('/v1/users/u/model')).rejects.toThrow()
})

test('[ROOM-41] over the socket as well, a write that is under way when the store fails is never acknowledged', async () => {
  const { disk, world, socket } = await broken()
  const held = disk.hold()
  const id = socket.send('observe', { user: 'u', observations: [issue('a')] })
  await held
  disk.break()
  const answer = await socket.frame(frame => frame.id === id).catch(() => undefined)
  if (answer) expect(answer).toMatchObject({ error: { code: 'stopped' } })
  await world.service.failed
})

test('[ROOM-42] after the restart every id has a definite outcome: what was acknowledged is there, the rest can be sent', async () => {
  const { disk, world, bot } = await broken()
  disk.break()
  await bot.post('/v1/users/u/observations', { observations: [issue('lost')] }).catch(() => undefined)
  await world.service.failed
  disk.mend()
  await world.restart({ archive: disk.archive() })
  const again = await world.as('bot', 'triage')
  expect((await again.explain('u', 'need.issue')).words.map(({ value }) => value)).toEqual(['kept'])
  expect(statuses(await again.observe('u', issue('kept'), issue('lost')))).toEqual(['admitted', 'admitted'])
  expect((await again.explain('u', 'need.issue')).words.map(({ value }) => value)).toEqual(['kept', 'lost'])
})

test('[ROOM-43] a damaged outcome is a fault of the server, told as such; other users and ids are served', async () => {
  const disk = new Disk()
  const world = await World.start({ archive: disk.archive() })
  const bot = await world.as('bot', 'triage')
  await bot.observe('u', issue('one'))
  flipLedger(disk.store)
  const reply = await bot.post('/v1/users/u/observations', { observations: [issue('one')] })
  expect(refusalOf(reply)).toEqual([500, 'internal'])
  expect(reply.text).not.toContain('ledger')
  const socket = await world.socket('bot', 'triage')
  const answer = await socket.ask('observe', { user: 'u', observations: [issue('one')] })
  expect(answer).toMatchObject({ error: { code: 'internal' } })
  expect(statuses(await bot.observe('u', issue('two')))).toEqual(['admitted'])
  expect(statuses(await bot.observe('w', issue('one')))).toEqual(['admitted'])
  expect((await bot.explain('u', 'need.issue')).words).toHaveLength(2)
})

test('[ROOM-44] an orderly stop answers what was asked, and refuses as stopped what is asked meanwhile', async () => {
  const disk = new Disk()
  const world = await World.start({ archive: disk.archive() })
  const [bot, socket] = [await world.as('bot', 'triage'), await world.socket('eye', 'triage')]
  await bot.observe('u', issue('kept'))
  const held = disk.hold()
  const posted = bot.post('/v1/users/u/observations', { observations: [issue('a')] })
  await held
  const asked = socket.ask('observe', { user: 'u', observations: [issue('b')] })
  await socket.ask('model', { user: 'u' })
  const stopped = world.stop()
  expect(await socket.ask('model', { user: 'u' })).toMatchObject({ error: { code: 'stopped' } })
  disk.release()
  expect(await asked).toMatchObject({ ok: { outcomes: [{ status: 'admitted' }] } })
  expect((await posted).status).toBe(200)
  await stopped
  expect((await socket.closed).code).toBe(1001)
})

/** Flips a bit in every outcome the disk holds. */
function flipLedger(disk: MemoryDisk): void {
  for (const owner of [...disk.cells('head', '').keys()].map(String))
    for (const [item, value] of disk.cells('ledger', owner)) {
      const damaged = Uint8Array.from(value)
      damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
      disk.apply([{ table: 'ledger', owner, item, value: damaged }])
    }
}
