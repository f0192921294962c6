import { expect, test } from 'vitest'
import { paperOf } from '../../server/handoff/kept.ts'
import { deskOf } from '../handoff/desk.ts'
import { type Known, Shelf } from './archive.ts'

const idsOf = (known: readonly Known[]): string[] => known.map(({ id }) => id).reverse()

async function filled(): Promise<Shelf> {
  const shelf = await Shelf.start()
  await shelf.handed('ben', 'completed')
  await shelf.handed('bob', 'failed')
  await shelf.handed('ben', 'failed')
  await shelf.handed('hal', 'completed')
  await shelf.handed('ben', 'completed')
  return shelf
}

test('[FRAME-1] frames are found by time, agent and outcome, alone and together, the latest first', async () => {
  const shelf = await filled()
  const { known } = shelf
  expect(await shelf.ids()).toEqual(idsOf(known))
  expect(await shelf.ids('?agent=ben')).toEqual(idsOf(known.filter(({ agents }) => agents.includes('ben'))))
  expect(await shelf.ids('?outcome=failed')).toEqual(idsOf(known.filter(({ outcome }) => outcome === 'failed')))
  const [, , second, , , , fourth] = known
  const [from = 0, to = 0] = [second?.made, fourth?.made]
  const within = known.filter(({ made }) => made >= from && made <= to)
  expect(within).toHaveLength(6)
  expect(await shelf.ids(`?from=${from}&to=${to}`)).toEqual(idsOf(within))
  expect(await shelf.ids(`?from=${from}&to=${new Date(to).toISOString()}&agent=ben&outcome=failed`)).toEqual([
    known[5]?.id,
  ])
  expect(await shelf.ids('?agent=nobody')).toEqual([])
})

test('[FRAME-2] by cursor all are told once, whatever the size of a page and the question', async () => {
  const shelf = await filled()
  for (const question of ['', '&outcome=passed', '&agent=ben'])
    for (const limit of [1, 2, 3, 100]) {
      const all: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: { frames: { handoff: { id: string } }[]; cursor: string | null } = await shelf.frames(
          `?limit=${limit}${question}${cursor && `&cursor=${cursor}`}`,
        )
        expect(page.frames.length).toBeLessThanOrEqual(limit)
        all.push(...page.frames.map(({ handoff }) => handoff.id))
        cursor = page.cursor
      }
      expect(all).toEqual(await shelf.ids(`?limit=100${question}`))
    }
  for (const cursor of ['x', Buffer.from('work:w_1').toString('base64url')])
    expect((await shelf.frames(`?cursor=${cursor}`)).error.code).toBe('bad_request')
  expect((await shelf.frames('?outcome=lost')).error.code).toBe('bad_request')
})

test('[FRAME-3] by field those are found that carried or showed it; of one that may not be read as few as of one that does not exist', async () => {
  const shelf = await Shelf.start()
  await shelf.handed('ben', 'completed')
  const hal = await shelf.agents.caller('hal:human')
  await hal.observe(shelf.user, { field: 'billing.plan', value: 'pro' }, { field: 'need.order', value: 'A17' })
  const after = await shelf.handed('ben', 'completed')
  expect(await shelf.ids('?field=billing.plan')).toEqual([after])
  expect(await shelf.ids('?field=need.order', 'ann:triage')).toEqual(await shelf.ids('?field=need.order'))
  const hidden = await shelf.frames('?field=billing.plan', 'ann:triage')
  expect(hidden).toEqual(await shelf.frames('?field=nothing.known', 'ann:triage'))
  expect(hidden).toEqual({ frames: [], cursor: null })
  expect(JSON.stringify(await shelf.frames('', 'ann:triage'))).not.toContain('billing.plan')
})

test('[FRAME-4] a frame that is not asked for is not read: damage of one does not keep others from being found', async () => {
  const shelf = await filled()
  const failed = idsOf(shelf.known.filter(({ outcome }) => outcome === 'failed'))
  const [{ id = '' } = {}] = shelf.known.slice(-1)
  await shelf.tamper(archive =>
    archive.commit(shelf.user, [], () => ({
      ...{ evidence: [], outcomes: [], tallies: [], result: undefined },
      papers: { written: new Map([[paperOf.handoff(id), 'nonsense']]), filed: [], isOpen: false },
    })),
  )
  expect(await shelf.ids('?outcome=failed')).toEqual(failed)
})

test('[FRAME-5] what a holder was shown is marked when it is believed otherwise by now, or has faded, for who may read it', async () => {
  const shelf = await Shelf.start()
  const { agents, user } = shelf
  const hal = await agents.caller('hal:human')
  await hal.observe(user, { field: 'billing.plan', value: 'pro' }, { field: 'need.issue', value: 'charge' })
  await hal.observe(user, { field: 'need.urgency', value: 'high', confidence: 0.5 })
  const id = await shelf.handed('ben', 'completed')
  const stale = async (name = 'sue:supervisor') =>
    (await shelf.frames('?outcome=completed', name)).frames.map((frame: { stale: object }) => frame.stale)
  expect(await stale()).toEqual([[]])
  await hal.correct(user, { field: 'billing.plan', value: 'basic' })
  const changed = { field: 'billing.plan', before: 'pro', now: 'basic', why: 'changed' }
  expect(await stale()).toEqual([[changed]])
  expect(await stale('ann:triage')).toEqual([[]])
  expect(JSON.parse((await hal.get(`/v1/handoffs/${id}`)).text).stale).toEqual([changed])
  agents.world.clock.advance(6 * 86_400_000)
  expect(await stale()).toEqual([[changed, { field: 'need.urgency', before: 'high', now: 'high', why: 'faded' }]])
})

test('[FRAME-6] the SDK asks the same questions', async () => {
  const shelf = await filled()
  const desk = await deskOf(shelf.agents.world, 'sue', 'supervisor')
  const user = desk.user(shelf.user)
  const failed = await user.frames({ outcome: 'failed', agent: 'ben' })
  expect(failed.map(({ handoff }) => handoff.id)).toEqual([shelf.known[5]?.id])
  const { frames, cursor } = await user.framesPage({ limit: 9 })
  expect(frames).toHaveLength(9)
  expect((await user.framesPage({ cursor: cursor ?? '' })).frames.map(({ handoff }) => handoff.id)).toEqual([
    shelf.known[0]?.id,
  ])
})
