import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Table } from '../../../server/store/cells.ts'
import { Disk } from '../support/disk.ts'
import { World } from '../support/world.ts'

function captured() {
  const lines: string[] = []
  return { lines, log: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }) }
}

const SAID = {
  id: 'one',
  field: 'need.goal',
  value: 'a canary in a mine',
  why: 'the canary sang',
  interaction: 'canary-call',
}

/** Flips a bit in every cell of a table. */
function damage(disk: Disk, table: Table): void {
  for (const owner of [...disk.store.cells('head', '').keys()].map(String))
    for (const [item, value] of disk.store.cells(table, owner)) {
      const damaged = Uint8Array.from(value)
      damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
      disk.store.apply([{ table, owner, item, value: damaged }])
    }
}

test('[LEAK-20] logs hold no values of beliefs, whatever goes wrong', async () => {
  const { lines, log } = captured()
  const disk = new Disk()
  const world = await World.start({ archive: disk.archive(), log })
  const [bot, ann] = [await world.as('bot', 'triage'), await world.as('ann', 'human')]
  await bot.observe('u', SAID, { field: 'emotion.state', value: 'canary' }, { field: 'canary.field', value: 1 })
  await ann.correct('u', { ...SAID, id: 'two' })
  await bot.post('/v1/users/u/observations', '{"canary')
  await bot.post('/v1/users/u/observations', { observations: 'canary' })
  const socket = await world.socket('bot', 'triage')
  await socket.ask('observe', { user: 'u', observations: [SAID, { field: 'need.goal', value: { canary: 1 } }] })
  await socket.ask('canary', {})
  socket.text('a canary that is no frame')
  await socket.closed
  damage(disk, 'ledger')
  expect((await bot.post('/v1/users/u/observations', { observations: [SAID] })).status).toBe(500)
  damage(disk, 'log')
  await world.restart({ archive: disk.archive() })
  const again = await world.as('bot', 'triage')
  expect((await again.model('u')).beliefs).toEqual({})
  disk.break(new Error('EIO'))
  await again.post('/v1/users/u/observations', { observations: [{ ...SAID, id: 'three' }] }).catch(() => undefined)
  await world.service.failed
  expect(lines.filter(line => /canary/i.test(line))).toEqual([])
  for (const expected of ['a request failed', 'could not be read', 'the store has failed'])
    expect(lines.some(line => line.includes(expected))).toBe(true)
})
