import { expect, test } from 'vitest'
import type { Work } from '../../client/work.ts'
import { strictDesk } from '../../model/sample/strict-desk.ts'
import { MINUTE } from '../server/support/clock.ts'
import { World } from '../server/support/world.ts'
import { deskOf, offered } from './desk.ts'

test('[CON-19] of many people who take held work over one wins, and the holder before it is stopped at once', async () => {
  const world = await World.start()
  const tom = await deskOf(world, 'tom', 'triage')
  const work = await tom.user('u_1').start({ intent: 'Help' })
  await work.checkpoint({ note: 'half way', state: 2 })
  const seen = await tom.handoff(work.id).state()
  const people = await Promise.all(['ann', 'ben', 'cy', 'dee'].map(name => deskOf(world, name, 'human')))
  const taken = await Promise.allSettled(people.map(desk => desk.takeOver(seen)))
  const won = taken.filter(each => each.status === 'fulfilled').map(({ value }): Work => value)
  expect(won).toHaveLength(1)
  for (const each of taken) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'handoff_taken' })
  expect(won[0]?.delivery).toMatchObject({ checkpoint: { note: 'half way' }, handoff: { epoch: seen.epoch + 1 } })
  await expect(work.note('late')).rejects.toMatchObject({ code: 'fenced' })
  await won[0]?.complete()
})

test('[CON-19] parked work, and what is offered to others, is taken over with a grant of one’s own; the same request is the same act', async () => {
  const world = await World.start({ limits: { handoffCheck: 5 } })
  const tom = await deskOf(world, 'tom', 'triage')
  const ann = await deskOf(world, 'ann', 'human')
  const work = await tom.user('u_1').start({ intent: 'Help' })
  const handoff = await work.handoff({ to: 'billing', reason: 'yours', grant: { ttl: MINUTE } })
  world.clock.advance(2 * MINUTE)
  await expect.poll(async () => (await handoff.state()).state).toBe('parked')
  const parked = await handoff.state()
  const taken = await ann.takeOver(parked, 'request-1')
  expect((await ann.takeOver(parked, 'request-1')).epoch).toBe(taken.epoch)
  expect(taken.delivery.handoff.expires).toBeGreaterThan(world.clock.now())
  await expect(work.note('late')).rejects.toMatchObject({ code: 'fenced' })
  const again = await taken.handoff({ to: 'billing', reason: 'yours after all' })
  const held = await ann.takeOver(await again.state())
  expect((await again.state()).holder).toEqual({ agent: 'ann', role: 'human' })
  await held.complete()
})

test('[CON-19] agents take nothing over, and who does not reach the user learns nothing', async () => {
  const world = await World.start({ schema: strictDesk })
  const sue = await deskOf(world, 'sue', 'supervisor')
  const work = await sue.user('u_1').start({ intent: 'Help' })
  const handoff = await work.handoff({ to: 'billing', reason: 'yours' })
  const ben = await deskOf(world, 'ben', 'billing')
  const taken = await (await offered(ben)).accept()
  const seen = { id: handoff.id, epoch: taken.epoch }
  await expect(ben.takeOver(seen)).rejects.toMatchObject({ code: 'forbidden' })
  const ann = await deskOf(world, 'ann', 'human')
  const unknown = await ann.takeOver({ id: 'h_nothing', epoch: 1 }).catch(({ code, message }) => ({ code, message }))
  await expect(ann.takeOver(seen)).rejects.toMatchObject(unknown)
  await sue.takeOver(seen)
  await expect.poll(() => taken.isHeld).toBe(false)
})
