import { expect, test } from 'vitest'
import { World } from '../server/support/world.ts'
import { deskOf } from './desk.ts'

const COUNT = 1_000

test(`[HAND-52] ${COUNT} handoffs in flight at once: none is lost, none is doubled`, async () => {
  const world = await World.start({ limits: { requestsPerSecond: 20_000, requestBurst: 20_000 } })
  const senders = await Promise.all([0, 1, 2, 3].map(i => deskOf(world, `ann-${i}`, 'triage')))
  const receivers = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(i => deskOf(world, `ben-${i}`, 'billing')))
  const accepted: string[] = []
  const refused = new Set<string>()
  for (const desk of receivers)
    desk.onOffer(async offer => {
      try {
        const work = await offer.accept()
        accepted.push(work.user.id)
        expect(work.intent.words).toBe(`words of ${work.user.id}`)
        await work.complete(work.user.id)
      } catch (error) {
        refused.add(error instanceof Error && 'code' in error ? String(error.code) : String(error))
      }
    })
  const users = Array.from({ length: COUNT }, (_, i) => `u_${i}`)
  const states = await Promise.all(
    users.map(async (id, i) => {
      const work = await senders[i % senders.length]?.user(id).start({ intent: `words of ${id}` })
      const handoff = await work?.handoff({ to: 'billing', reason: 'yours' })
      return (await handoff?.settled())?.state
    }),
  )
  expect(states.filter(state => state !== 'completed')).toEqual([])
  expect(accepted.sort()).toEqual([...users].sort())
  expect([...refused].filter(code => code !== 'handoff_taken' && code !== 'bad_state')).toEqual([])
}, 120_000)
