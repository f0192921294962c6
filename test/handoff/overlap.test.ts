import { expect, test } from 'vitest'
import { strictDesk } from '../../model/sample/strict-desk.ts'
import { HOUR, MINUTE } from '../server/support/clock.ts'
import { World } from '../server/support/world.ts'
import { deskOf, offered } from './desk.ts'

/** Ben of billing holds a user by a handoff alone, and hands on to tech. */
async function passing(overlap?: number) {
  const world = await World.start({ schema: strictDesk, limits: { handoffCheck: 5 } })
  const [sue, ben, tim] = [
    await deskOf(world, 'sue', 'supervisor'),
    await deskOf(world, 'ben', 'billing'),
    await deskOf(world, 'tim', 'tech'),
  ]
  const first = await sue.user('u_1').start({ intent: 'Help me.', lease: HOUR })
  await sue.user('u_1').observe({ 'need.issue': 'charge' })
  await first.handoff({ to: 'billing', reason: 'a charge' })
  const bens = await (await offered(ben)).accept({ lease: 5 * MINUTE })
  const handoff = await bens.handoff({ to: 'tech', reason: 'a bug', ...(overlap !== undefined && { overlap }) })
  const offer = await offered(tim, handoff.id)
  return { world, sue, ben, tim, handoff, offer }
}

test('[FLEET-18] who handed on stays for a while: it reads and answers, writes nothing, and is gone when either lets go; all of it is in the frame', async () => {
  const { sue, ben, handoff, offer } = await passing(10 * MINUTE)
  handoff.onQuestion(({ text }) => (text === 'Which card?' ? 'The red one.' : { text: 'I do not know.' }))
  const work = await offer.accept({ lease: HOUR })
  expect(work.delivery.handoff.overlap).toMatchObject({ with: { agent: 'ben', role: 'billing' } })
  expect((await ben.user('u_1').model()).get('need.issue')?.value).toBe('charge')
  await expect(ben.user('u_1').observe({ 'need.issue': 'other' })).rejects.toMatchObject({ code: 'field_unavailable' })
  expect(await work.ask('Which card?')).toBe('The red one.')
  expect(await work.ask('Since when?')).toBe('I do not know.')
  await handoff.release()
  await expect(ben.user('u_1').model()).rejects.toMatchObject({ code: 'user_unavailable' })
  await expect(work.ask('Again?')).rejects.toMatchObject({ code: 'bad_state' })
  await expect(handoff.answer('x', 'late')).rejects.toMatchObject({ code: 'fenced' })
  await work.complete()
  const frame = (await sue.user('u_1').frames()).find(each => each.handoff.id === handoff.id)
  expect(frame?.exchange).toMatchObject([
    { question: { by: { agent: 'tim' }, text: 'Which card?' }, answer: { by: { agent: 'ben' }, text: 'The red one.' } },
    { question: { text: 'Since when?' }, answer: { text: 'I do not know.' } },
  ])
  expect(frame?.events.map(({ what }) => what)).toEqual(expect.arrayContaining(['asked', 'answered', 'released']))
})

test('[FLEET-19] the time to ask ends by itself, is never given to who has lost its lease, and an answer is seen only by who may read what it speaks of', async () => {
  const timed = await passing(MINUTE)
  const work = await timed.offer.accept({ lease: HOUR })
  timed.handoff.onQuestion(() => new Promise(() => undefined))
  const unanswered = expect(work.ask('Which card?')).rejects.toMatchObject({ code: 'bad_state' })
  await expect.poll(async () => await timed.sue.handoff(work.id).inspect()).toHaveProperty('exchange.length', 1)
  timed.world.clock.advance(MINUTE)
  await unanswered
  await expect(timed.ben.user('u_1').model()).rejects.toMatchObject({ code: 'user_unavailable' })

  const late = await passing(HOUR)
  late.world.clock.advance(6 * MINUTE)
  expect((await late.offer.accept()).delivery.handoff.overlap).toBeNull()

  const hidden = await passing(HOUR)
  const held = await hidden.offer.accept({ lease: HOUR })
  hidden.handoff.onQuestion(() => ({ text: 'They pay too late.', fields: ['billing.status'] }))
  await held.question('Why?')
  const seenBy = async (desk: typeof hidden.sue) => JSON.stringify(await desk.handoff(held.id).inspect())
  await expect.poll(() => seenBy(hidden.sue)).toContain('They pay too late.')
  expect(await seenBy(hidden.tim)).not.toContain('They pay too late.')
  const ended = new Promise(resolve => hidden.ben.user('u_1').watch(['**'], () => {}, { onError: resolve }))
  await hidden.ben.user('u_1').model()
  expect(await held.complete()).toMatchObject({ overlap: null })
  expect(await ended).toMatchObject({ code: 'user_unavailable' })
})
