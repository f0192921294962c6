import { expect, test } from 'vitest'
import { verifyIn } from '../../server/audit/look.ts'
import { guarded } from '../audit/schema.ts'
import { selfsame } from '../server/process/program.ts'
import { World } from '../server/support/world.ts'

test('[ERA-8] `selfsame erase` does the same for a server that is stopped', async () => {
  const world = await World.start({ schema: guarded })
  await (await world.as('b', 'bot')).observe('u', { field: 'open.note', value: 'old' })
  const early = selfsame(['erase', 'u', '--data', world.data])
  expect(await early.ended).toMatchObject({ code: 1 })
  expect(early.errors).toMatch(/in use by process/)
  await world.stop()
  const program = selfsame(['erase', 'u', '--data', world.data])
  expect(await program.ended).toMatchObject({ code: 0 })
  expect(program.output).toBe('u is erased.')
  expect(verifyIn(world.data, undefined, []).finding).toBeUndefined()
  await world.restart()
  expect((await (await world.as('b', 'bot')).model('u')).beliefs).toEqual({})
})
