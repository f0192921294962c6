import { expect, test } from 'vitest'
import { defineModel } from '../../model/index.ts'
import { desk } from '../../model/sample/desk.ts'
import { deskOf } from '../handoff/desk.ts'
import { Agents } from '../server/handoff/agents.ts'
import { MINUTE } from '../server/support/clock.ts'
import type { WorldOptions } from '../server/support/world.ts'

interface Page {
  readonly frames: readonly { readonly user: string; readonly handoff: { readonly id: string } }[]
  readonly cursor: string | null
  readonly error: { readonly code: string }
}

/** A handoff of one of several users, as the test made it. */
interface Made {
  readonly id: string
  readonly user: string
  readonly agent: string
  readonly outcome: string
  readonly made: number
}

async function filled(options: WorldOptions = {}): Promise<{ agents: Agents; made: Made[] }> {
  const agents = await Agents.start(options)
  const made: Made[] = []
  const fates = ['complete', 'fail', 'complete', 'complete', 'fail', 'complete', 'complete'] as const
  for (const [i, fate] of fates.entries()) {
    const [user, agent] = [`u_${i % 4}`, i % 2 === 0 ? 'ben' : 'bob']
    agents.world.clock.advance(MINUTE)
    const time = agents.world.clock.now()
    const { from, id } = await agents.hand('ann:triage', user, 'billing')
    await agents.act(`${agent}:billing`, id, 'accept')
    const { status, text } = await agents.act(`${agent}:billing`, id, fate, {
      epoch: 1,
      ...(fate === 'fail' && { why: 'no' }),
    })
    expect(status, text).toBe(200)
    made.push({ id: from, user, agent: 'ann', outcome: 'passed', made: time })
    made.push({ id, user, agent, outcome: fate === 'fail' ? 'failed' : 'completed', made: time })
  }
  // Of somebody there is nothing yet but what is believed.
  await (await agents.caller('hal:human')).observe('u_9', { field: 'need.issue', value: 'charge' })
  return { agents, made }
}

async function asked(agents: Agents, query = '', name = 'sue:supervisor'): Promise<Page> {
  return JSON.parse((await (await agents.caller(name)).get(`/v1/frames?${query}`)).text)
}

/** All pages of some size. */
async function all(agents: Agents, query: string, limit: number, name?: string): Promise<Page['frames']> {
  const found: Page['frames'][number][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await asked(agents, `${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`, name)
    expect(page.frames.length).toBeLessThanOrEqual(limit)
    found.push(...page.frames)
    cursor = page.cursor
  }
  return found
}

const idsOf = (frames: Page['frames'] | readonly Made[]): string[] =>
  frames.map(each => ('handoff' in each ? each.handoff.id : each.id)).sort()

test('[FRAME-11] frames of all users are found by time, agent and outcome; by cursor each is told once, whatever the size of a page, also when a user is erased meanwhile', async () => {
  const { agents, made } = await filled()
  const [from = 0, to = 0] = [made[4]?.made, made[9]?.made]
  const questions: [string, (each: Made) => boolean][] = [
    ['', () => true],
    ['outcome=failed', ({ outcome }) => outcome === 'failed'],
    ['agent=bob', ({ agent }) => agent === 'bob'],
    [`from=${from}&to=${to}`, each => each.made >= from && each.made <= to],
    [`from=${from}&agent=ben&outcome=completed`, each => each.made >= from && each.agent === 'ben'],
    ['agent=nobody', () => false],
  ]
  for (const [query, is] of questions)
    for (const limit of [1, 3, 100])
      expect(idsOf(await all(agents, query, limit)), `${query} ${limit}`).toEqual(
        idsOf(made.filter(each => is(each) && (!query.includes('completed') || each.outcome === 'completed'))),
      )
  const whole = await all(agents, '', 100)
  for (const user of ['u_0', 'u_1', 'u_2', 'u_3']) {
    const { body } = await agents.get('sue:supervisor', `/v1/users/${user}/frames`)
    expect(whole.filter(each => each.user === user)).toEqual(
      (body.frames as object[]).map(frame => ({ user, ...frame })),
    )
  }
  const { frames, cursor } = await asked(agents, 'limit=1')
  const gone = frames[0]?.user ?? ''
  await (await deskOf(agents.world, 'sue', 'supervisor')).user(gone).erase()
  const rest = await asked(agents, `cursor=${cursor}`)
  expect(idsOf(rest.frames)).toEqual(idsOf(made.filter(({ user }) => user !== gone)))
  for (const wrong of ['x', Buffer.from('a work:w_1').toString('base64url')])
    expect((await asked(agents, `cursor=${wrong}`)).error.code).toBe('bad_request')
})

/** People of the desk who may not know what billing knows, and some who see only whom they were handed. */
const { human } = desk.definition.roles
const guarded = defineModel({
  ...desk.definition,
  roles: {
    ...desk.definition.roles,
    lead: { ...human, read: ['**', '!billing.**'], write: ['need.**'] },
    aide: { ...human, reach: 'assigned' },
  },
})

test('[FRAME-12] only people who reach every user see frames of all; each is cut as that user’s own, and what may not be read leaves no trace', async () => {
  const { agents } = await filled({ schema: guarded })
  for (const name of ['ann:triage', 'ben:billing', 'u_1:subject', 'al:aide'])
    expect((await asked(agents, '', name)).error.code, name).toBe('forbidden')
  const hal = await agents.caller('hal:human')
  await hal.observe('u_1', { field: 'billing.plan', value: 'enterprise' }, { field: 'need.order', value: 'A17' })
  const { id } = await agents.hand('ann:triage', 'u_1', 'billing')
  await agents.act('ben:billing', id, 'accept')
  await agents.act('ben:billing', id, 'checkpoint', { epoch: 1, note: 'is on enterprise', fields: ['billing.plan'] })
  await agents.act('ben:billing', id, 'complete', { epoch: 1 })

  expect(idsOf((await asked(agents, 'field=billing.plan')).frames)).toEqual([id])
  const hidden = await asked(agents, 'field=billing.plan', 'lea:lead')
  expect(hidden).toEqual(await asked(agents, 'field=nothing.known', 'lea:lead'))
  expect(hidden).toEqual({ frames: [], cursor: null })
  const seen = await all(agents, '', 3, 'lea:lead')
  expect(idsOf(seen)).toEqual(idsOf(await all(agents, '', 3)))
  expect(idsOf(await all(agents, 'field=need.order', 3, 'lea:lead'))).toContain(id)
  expect(JSON.stringify(seen)).not.toMatch(/billing\.|enterprise/)
  const { body } = await agents.get('lea:lead', '/v1/users/u_1/frames')
  expect(seen.filter(({ user }) => user === 'u_1')).toEqual(
    (body.frames as object[]).map(frame => ({ user: 'u_1', ...frame })),
  )
})

test('[FRAME-13] the SDK asks for frames of all users', async () => {
  const { agents, made } = await filled()
  const sue = await deskOf(agents.world, 'sue', 'supervisor')
  expect((await sue.frames({ outcome: 'failed' })).map(({ handoff }) => handoff.id).sort()).toEqual(
    idsOf(made.filter(({ outcome }) => outcome === 'failed')),
  )
  const { frames, cursor } = await sue.framesPage({ limit: 9 })
  const rest = await sue.framesPage({ cursor: cursor ?? '' })
  expect([...frames, ...rest.frames].map(({ handoff }) => handoff.id).sort()).toEqual(idsOf(made))
})
