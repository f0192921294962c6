import { expect, test } from 'vitest'
import { strictDesk } from '../../model/sample/strict-desk.ts'
import { SECOND } from '../server/support/clock.ts'
import { World } from '../server/support/world.ts'
import { deskOf, offered } from './desk.ts'

test('[SDK-50] work with threads, notes, agreements, decisions and checkpoints is handed on, verified, and completed', async () => {
  const world = await World.start()
  const [triage, billing] = [await deskOf(world, 'ann', 'triage'), await deskOf(world, 'ben', 'billing')]
  const user = triage.user('u_1')
  await user.observe({ 'need.issue': 'charge', 'emotion.state': 'angry' })
  const work = await user.start({ intent: { words: 'You charged me twice!', goal: 'my money' }, task: 'case-7' })
  const thread = await work.thread({
    goal: 'find the charge',
    urgency: 0.9,
    fragility: 0.9,
    deadEnds: ['the first invoice'],
  })
  await work.thread({ id: thread, status: 'waiting', deadEnds: ['the second invoice'] })
  await work.validation({ what: 'the card is theirs' })
  await work.note('the bank is slow today')
  await work.agree('we call at five')
  await work.decide({ what: 'refund', why: 'charged twice' })
  await work.checkpoint({ state: { step: 2 }, note: 'found it' })
  const handoff = await work.handoff({
    to: 'billing',
    reason: 'it is a charge',
    refs: ['need.issue'],
    tokens: 400,
    grant: { actions: { refund: { amount: { max: 20 } } } },
  })
  const offer = await offered(billing)
  expect(offer.needs).toMatchObject({ known: ['need.issue'] })
  const taken = await offer.accept()
  expect(taken.verifies()).toBe(true)
  expect(taken.model.get('need.issue')?.value).toBe('charge')
  expect(taken.delivery).toMatchObject({
    completeness: 1,
    checkpoint: { state: { step: 2 } },
    work: {
      threads: [{ goal: 'find the charge', status: 'waiting', deadEnds: ['the first invoice', 'the second invoice'] }],
    },
  })
  for (const told of [
    'You charged me twice!',
    'my money',
    'we call at five',
    'the second invoice',
    'found it',
    'refund',
    'breaks easily',
    'the card is theirs',
  ])
    expect(taken.narrative).toContain(told)
  expect(taken.narrative).not.toContain('angry')
  expect([await taken.may('refund', { amount: 20 }), (await taken.may('refund', { amount: 21 })).allowed]).toEqual([
    { allowed: true },
    false,
  ])
  await taken.user.observe({ 'billing.status': 'disputed' })
  expect((await handoff.accepted()).holder).toEqual({ agent: 'ben', role: 'billing' })
  await expect(work.complete()).rejects.toMatchObject({ code: 'fenced' })
  expect(work.isHeld).toBe(false)
  await taken.complete({ refunded: 20 })
  expect((await handoff.settled()).state).toBe('completed')
  expect(await user.works()).toEqual([])
  expect((await user.frames()).map(({ outcome }) => outcome.name)).toEqual(['completed', 'passed'])
})

test('[SDK-51] leases are renewed by themselves while connected, and what was lost is known', async () => {
  const world = await World.start({ limits: { handoffCheck: 5 } })
  const [ann, bob] = [await deskOf(world, 'ann', 'triage'), await deskOf(world, 'bob', 'triage')]
  const work = await ann.user('u_1').start({ intent: 'x', lease: 300 })
  const handoff = ann.handoff(work.id)
  const first = (await handoff.state()).lease ?? 0
  world.clock.advance(200)
  await expect.poll(async () => ((await handoff.state()).lease ?? 0) > first).toBe(true)
  work.abandon()
  world.clock.advance(10 * SECOND)
  const again = await (await offered(bob, work.id)).accept()
  expect(again.epoch).toBe(2)
  await expect(work.renew()).rejects.toMatchObject({ code: 'fenced' })
  await expect(work.user.observe({ 'need.issue': 'late' })).rejects.toMatchObject({ code: 'fenced' })
  await again.user.observe({ 'need.issue': 'mine' })
})

test('[SDK-52] offers come again after a restart, one that was declined does not, and work goes on', async () => {
  const world = await World.start({ schema: strictDesk })
  const sue = await deskOf(world, 'sue', 'supervisor')
  const work = await sue.user('u_1').start({ intent: 'x' })
  const handoff = await work.handoff({ to: 'billing', reason: 'yours' })
  const ben = await deskOf(world, 'ben', 'billing')
  await (await offered(ben)).decline('I am busy')
  const bob = await deskOf(world, 'bob', 'billing')
  const taken = await (await offered(bob, handoff.id)).accept()
  expect((await ben.handoffs()).offers).toEqual([])
  const watched = new Promise(resolve => taken.user.watch(['**'], () => undefined, { onError: resolve }))
  await taken.user.observe({ 'need.issue': 'charge' })
  await handoff.revoke('stop')
  await expect(watched).resolves.toMatchObject({ code: 'user_unavailable' })
  await expect(taken.user.model()).rejects.toMatchObject({ code: 'user_unavailable' })
  expect((await handoff.settled()).state).toBe('parked')
  expect((await handoff.replay({ to: { role: 'billing', agent: 'ben' } })).state).toBe('offered')
  expect((await (await offered(ben, handoff.id)).accept()).epoch).toBe(2)
})
