import { expect, test } from 'vitest'
import type { Work } from '../../client/work.ts'
import { World } from '../server/support/world.ts'
import { deskOf } from './desk.ts'

const told = async (work: Work, role: string, world: World) => {
  const desk = await deskOf(world, `reader-${role}`, role)
  const details = await desk.handoff(work.id).inspect()
  const [frame] = await desk.user(work.user.id).frames()
  return { details: Object(details).told, frame: frame?.told, text: JSON.stringify([details, frame]) }
}

test('[CON-34] how much a holder was told is for who may read every field, whatever it was', async () => {
  const world = await World.start()
  const tom = await deskOf(world, 'tom', 'triage')
  const ann = await deskOf(world, 'ann', 'human')
  const work = await tom.user('u_1').start({ intent: 'Help' })
  await tom.user('u_1').observe({ 'need.issue': 'wrong_invoice', 'emotion.churn_risk': true })
  await work.handoff({ to: 'human', reason: 'yours', tokens: 64, strategy: 'lazy', refs: ['need.issue'] })
  await expect.poll(async () => (await ann.offers()).length).toBe(1)
  const taken = await (await ann.offers())[0]?.accept()
  if (!taken) throw new Error('Nothing was offered.')
  const { completeness, budget, gaps } = taken.delivery
  const { strategy, allowed, used, trimmed } = budget
  const whole = { completeness, strategy, allowed, used, trimmed, trimmedInAll: trimmed.length, gaps }
  expect(trimmed.map(({ what }) => what)).toContain('emotion.churn_risk')
  expect((await told(taken, 'supervisor', world)).details).toEqual(whole)
  expect((await told(taken, 'billing', world)).details).toBeNull()
  await taken.complete()
  expect((await told(taken, 'supervisor', world)).frame).toEqual(whole)
  const narrow = await told(taken, 'billing', world)
  expect([narrow.details, narrow.frame]).toEqual([null, null])
  expect(narrow.text).not.toContain('churn_risk')
})
