import { expect, test } from 'vitest'
import { HOUR, MINUTE, SECOND } from '../support/clock.ts'
import { Agents, type Answer } from './agents.ts'

test('[HAND-20] of two that accept at once one wins and the other learns it; all is in the one reply', async () => {
  const agents = await Agents.start()
  await (await agents.caller('ann:triage')).observe('u_1', { field: 'need.issue', value: 'charge' })
  const { id, from } = await agents.hand('ann:triage', 'u_1', 'billing')
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => agents.act(`b${i}:billing`, id, 'accept', { request: `r${i}` })),
  )
  const won = answers.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  expect(answers.filter(({ body }) => body.error?.code === 'handoff_taken')).toHaveLength(7)
  expect(won[0]?.body).toMatchObject({
    user: 'u_1',
    handoff: { id, epoch: 1, state: 'accepted' },
    work: { intent: { words: 'Help me.' } },
    beliefs: { 'need.issue': { value: 'charge' } },
  })
  expect(await agents.state(from)).toBe('passed')
})

test('[HAND-21] what is sent again is the same act: start, hand on, accept, complete', async () => {
  const agents = await Agents.start()
  const twice = async (act: () => Promise<Answer>) => {
    const [first, second] = [(await act()).body, (await act()).body]
    expect([second.handoff.id, second.id]).toEqual([first.handoff.id, first.id])
    expect(first.error.code).toBe('')
    return first.handoff.id || first.id
  }
  const from = await twice(() => agents.start('ann:triage', 'u_1', { request: 'one' }))
  const given = { handoff: from, epoch: 1, to: 'billing', reason: 'yours', request: 'two' }
  const id = await twice(() => agents.post('ann:triage', '/v1/handoffs', given))
  await twice(() => agents.act('ben:billing', id, 'accept', { request: 'three' }))
  await twice(() => agents.act('ben:billing', id, 'complete', { epoch: 1, result: 1 }))
  await agents.world.restart()
  await twice(() => agents.act('ben:billing', id, 'complete', { epoch: 1, result: 1 }))
  expect((await agents.get('sue:supervisor', '/v1/handoffs')).body.handoffs).toEqual([])
  expect((await agents.start('ann:triage', 'u_1', { request: 'one' })).body.error.code).toBe('fenced')
})

test('[HAND-22] unanswered it is delivered again, then goes to the alternative, then waits for a person, who can replay it', async () => {
  const agents = await Agents.start({ limits: { handoffCheck: 5, attempts: 2 }, chance: () => 0 })
  const { world } = agents
  const more = { alternatives: [{ role: 'human' }], acknowledge: 10 * SECOND }
  const { id } = await agents.hand('ann:triage', 'u_1', { role: 'billing', agent: 'ben' }, more)
  const offersTo = async (name: string) => (await agents.get(name, '/v1/handoffs?state=offered')).body.offers
  expect(await offersTo('ben:billing')).toMatchObject([{ id, attempt: 1 }])
  expect(await offersTo('bob:billing')).toEqual([])
  world.clock.advance(6 * SECOND)
  await expect.poll(() => offersTo('ben:billing')).toMatchObject([{ id, attempt: 2 }])
  world.clock.advance(11 * SECOND)
  await expect.poll(() => offersTo('hal:human')).toMatchObject([{ id, attempt: 1 }])
  expect(await offersTo('ben:billing')).toEqual([])
  world.clock.advance(MINUTE)
  await expect.poll(() => offersTo('hal:human')).toMatchObject([{ id, attempt: 2 }])
  world.clock.advance(MINUTE)
  await expect.poll(() => agents.state(id)).toBe('parked')
  expect((await agents.act('ben:billing', id, 'accept')).body.error.code).toBe('bad_state')
  expect((await agents.act('ben:billing', id, 'replay')).body.error.code).toBe('forbidden')
  expect((await agents.act('hal:human', id, 'replay')).body.state).toBe('offered')
  expect((await agents.act('ben:billing', id, 'accept')).status).toBe(200)
})

test('[HAND-23] who vanishes is replaced from its last checkpoint, with what it was shown and what is so now; its late words are refused', async () => {
  const agents = await Agents.start({ limits: { handoffCheck: 5 } })
  const ann = await agents.caller('ann:triage')
  await ann.observe('u_1', { field: 'need.urgency', value: 'low', basis: 'heard' })
  const { id } = await agents.hand('ann:triage', 'u_1', 'billing')
  await agents.act('ben:billing', id, 'accept', { lease: 5 * SECOND })
  await agents.act('ben:billing', id, 'checkpoint', { epoch: 1, number: 3, state: { step: 3 }, note: 'third' })
  await agents.act('ben:billing', id, 'checkpoint', { epoch: 1, number: 2, state: { step: 2 } })
  await agents.act('ben:billing', id, 'work', { epoch: 1, decisions: [{ what: 'refund', why: 'charged twice' }] })
  await (await agents.caller('hal:human')).correct('u_1', { field: 'need.urgency', value: 'high' })
  agents.world.clock.advance(6 * SECOND)
  await expect.poll(() => agents.state(id)).toBe('offered')
  const next = await agents.act('bob:billing', id, 'accept')
  expect(next.body).toMatchObject({
    handoff: { epoch: 2 },
    checkpoint: { number: 3, state: { step: 3 } },
    work: { history: [{ what: 'refund', why: 'charged twice', by: { agent: 'ben' } }] },
    since: [{ field: 'need.urgency', before: 'low', now: 'high' }],
  })
  for (const [act, body] of Object.entries({
    renew: {},
    checkpoint: { number: 9 },
    complete: { result: 1 },
    fail: { why: 'x' },
    return: { why: 'x' },
    work: { agreements: [{ text: 'late' }] },
    may: { action: 'refund' },
  }))
    expect((await agents.act('ben:billing', id, act, { epoch: 1, ...body })).body.error?.code, act).toBe('fenced')
  const late = { under: { handoff: id, epoch: 1 }, observations: [{ field: 'need.issue', value: 'late' }] }
  const written = await agents.post('ben:billing', '/v1/users/u_1/observations', late)
  expect(JSON.stringify(written.body)).toContain('fenced')
  const mine = { under: { handoff: id, epoch: 2 }, observations: [{ field: 'need.issue', value: 'mine' }] }
  expect((await agents.post('bob:billing', '/v1/users/u_1/observations', mine)).status).toBe(200)
})

test('[HAND-24] a poison handoff is parked after its lapses while others flow', async () => {
  const agents = await Agents.start({ limits: { handoffCheck: 5, lapses: 2 } })
  const { id } = await agents.hand('ann:triage', 'u_1', 'billing')
  for (let epoch = 1; epoch <= 3; epoch++) {
    expect((await agents.act('ben:billing', id, 'accept', { request: `r${epoch}` })).body.handoff.epoch).toBe(epoch)
    await agents.act('ben:billing', id, 'fail', { epoch, why: 'it kills me', retry: true })
    const other = await agents.hand('ann:triage', `u_other_${epoch}`, 'billing')
    await agents.act('ben:billing', other.id, 'accept')
    expect((await agents.act('ben:billing', other.id, 'complete', { epoch: 1 })).body.state).toBe('completed')
  }
  expect(await agents.state(id)).toBe('parked')
})

test('[HAND-25] a result is complete only when it fits what is expected', async () => {
  const agents = await Agents.start()
  const expected = { type: 'object', properties: { refunded: { type: 'number' } }, required: ['refunded'] }
  const { id } = await agents.hand('ann:triage', 'u_1', 'billing', { expected })
  await agents.act('ben:billing', id, 'accept')
  const wrong = await agents.act('ben:billing', id, 'complete', { epoch: 1, result: { refunded: 'all' } })
  expect(wrong).toMatchObject({ status: 422, body: { error: { code: 'result_unexpected' } } })
  expect(await agents.state(id)).toBe('accepted')
  expect((await agents.act('ben:billing', id, 'complete', { epoch: 1, result: { refunded: 5 } })).body.state).toBe(
    'completed',
  )
  const started = await agents.start('ann:triage', 'u_2')
  const costly = {
    handoff: started.body.handoff.id,
    epoch: 1,
    to: 'billing',
    reason: 'x',
    expected: { type: 'string', pattern: '^(a+)+$' },
  }
  expect((await agents.post('ann:triage', '/v1/handoffs', costly)).body.error.code).toBe('bad_request')
})

test('[HAND-26] it goes back to whom it came from, with what was learned; hops are limited and cycles shown', async () => {
  const agents = await Agents.start({ limits: { hops: 3 } })
  const { id } = await agents.hand('ann:triage', 'u_1', 'billing', { constraints: ['no calls'] })
  await agents.act('ben:billing', id, 'accept')
  await agents.act('ben:billing', id, 'work', { epoch: 1, environment: [{ text: 'the bank is closed' }] })
  const back = await agents.act('ben:billing', id, 'return', { epoch: 1, why: 'not a charge' })
  expect(await agents.state(id)).toBe('returned')
  const mine = await agents.act('ann:triage', back.body.id, 'accept')
  expect(mine.body.work).toMatchObject({
    constraints: [{ text: 'no calls' }],
    environment: [{ text: 'the bank is closed' }],
  })
  expect(mine.body.narrative).toContain('not a charge')
  const third = await agents.post('ann:triage', '/v1/handoffs', {
    handoff: back.body.id,
    epoch: 1,
    to: 'tech',
    reason: 'x',
  })
  const tech = await agents.act('tim:tech', third.body.id, 'accept')
  const hops = tech.body.envelope.sections.find(({ name }) => name === 'hops')
  expect(hops?.body).toMatchObject({ cycles: ['ann'] })
  const over = await agents.post('tim:tech', '/v1/handoffs', {
    handoff: third.body.id,
    epoch: 1,
    to: 'billing',
    reason: 'x',
  })
  expect(over.body.error.code).toBe('hop_limit')
})

test('[HAND-27] all of it survives a restart: offers, leases, checkpoints, work, deadlines and what is over', async () => {
  const agents = await Agents.start({ limits: { handoffCheck: 5 } })
  const offered = await agents.hand('ann:triage', 'u_1', 'billing')
  const held = await agents.hand('ann:triage', 'u_2', 'billing')
  await agents.act('ben:billing', held.id, 'accept', { lease: HOUR, request: 'r' })
  await agents.act('ben:billing', held.id, 'checkpoint', {
    epoch: 1,
    state: 7,
    agreements: [{ id: 'a', text: 'call at 5' }],
  })
  await agents.world.restart()
  expect((await agents.get('bob:billing', '/v1/handoffs?state=offered')).body.offers).toMatchObject([
    { id: offered.id },
  ])
  expect((await agents.act('bob:billing', held.id, 'accept')).body.error.code).toBe('handoff_taken')
  const again = await agents.act('ben:billing', held.id, 'accept', { request: 'r' })
  expect(again.body).toMatchObject({
    handoff: { epoch: 1 },
    checkpoint: { state: 7 },
    work: { agreements: [{ text: 'call at 5' }] },
  })
  agents.world.clock.advance(HOUR + MINUTE)
  await expect.poll(() => agents.state(held.id)).toBe('offered')
  await agents.world.restart()
  expect((await agents.act('bob:billing', held.id, 'accept')).body).toMatchObject({
    handoff: { epoch: 2 },
    checkpoint: { state: 7 },
  })
})
