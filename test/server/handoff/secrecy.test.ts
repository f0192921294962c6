import { expect, test } from 'vitest'
import { type Envelope, verifies } from '../../../model/handoff/envelope.ts'
import { sha256 } from '../../../model/handoff/sha256.ts'
import { Recorder } from '../support/recorder.ts'
import { Agents } from './agents.ts'

/** What tech may not read, and where it stands: in beliefs, threads, links, notes, decisions, reasons, checkpoints. */
const CANARIES = [
  'canary-thread',
  'canary-link',
  'canary-note',
  'canary-decision',
  'canary-reason',
  'canary-check',
  'enterprise',
  '"4417"',
]
const HIDDEN = ['billing.plan']

async function secretive(): Promise<{ agents: Agents; id: string; seen: Recorder }> {
  const agents = await Agents.start()
  const ben = await agents.caller('ben:billing')
  await ben.observe(
    'u_1',
    { field: 'billing.plan', value: 'enterprise' },
    { field: 'billing.card_last4', value: '4417' },
    { field: 'need.issue', value: 'login' },
  )
  const started = await agents.start('ben:billing', 'u_1', { intent: 'I can not log in.' })
  const from = started.body.handoff.id
  await agents.act('ben:billing', from, 'checkpoint', {
    epoch: 1,
    state: 'canary-check',
    note: 'canary-check',
    fields: HIDDEN,
    threads: [
      { id: 't1', goal: 'canary-thread', fields: HIDDEN, urgency: 1, fragility: 1 },
      {
        id: 't2',
        goal: 'open goal',
        links: [
          { field: 'billing.plan', why: 'canary-link' },
          { field: 'need.issue', why: 'it is the issue' },
        ],
      },
    ],
    environment: [{ text: 'canary-note', fields: HIDDEN }],
    decisions: [{ what: 'canary-decision', why: 'canary-decision', fields: HIDDEN }],
  })
  const given = {
    handoff: from,
    epoch: 1,
    to: 'tech',
    reason: 'canary-reason',
    fields: HIDDEN,
    refs: ['billing.plan', 'billing.card_last4', 'need.issue'],
    tokens: 400,
  }
  const { body } = await agents.post('ben:billing', '/v1/handoffs', given)
  const seen = new Recorder()
  seen.listen(await agents.caller('tim:tech'))
  return { agents, id: body.id, seen }
}

test('[HAND-40] who may read less finds nothing hidden in any section, narrative, history, offer, frame or error, and verifies the rest', async () => {
  const { agents, id, seen } = await secretive()
  await agents.get('tim:tech', '/v1/handoffs')
  await agents.get('tim:tech', `/v1/handoffs/${id}`)
  const { body } = await agents.act('tim:tech', id, 'accept')
  await agents.get('tim:tech', `/v1/handoffs/${id}`)
  await agents.get('tim:tech', '/v1/users/u_1/work')
  await agents.act('tim:tech', id, 'complete', { epoch: 9 })
  await agents.act('tim:tech', id, 'work', { epoch: 1, threads: [{ id: 't1', status: 'done' }] })
  await agents.act('tim:tech', id, 'fail', { epoch: 1, why: 'no' })
  await agents.get('tim:tech', '/v1/users/u_1/frames')
  expect(seen.size).toBeGreaterThan(5_000)
  expect(seen.holding([...CANARIES, 'billing.plan', 'billing.card'])).toEqual([])
  expect(body.work).toMatchObject({ threads: [{ id: 't2', links: [{ field: 'need.issue' }] }] })
  const envelope = body.envelope as unknown as Envelope
  expect(verifies(envelope, sha256)).toBe(true)
  expect(
    verifies(
      {
        ...envelope,
        sections: [
          ...envelope.sections.slice(1),
          { ...envelope.sections[0], body: 'other' } as Envelope['sections'][0],
        ],
      },
      sha256,
    ),
  ).toBe(false)
})

test('[HAND-41] who may read all gets all of it, under the same root; what is secret is in no envelope, narrative or frame', async () => {
  const { agents, id } = await secretive()
  const tim = await agents.act('tim:tech', id, 'accept')
  const hal = await agents.get('hal:human', `/v1/handoffs/${id}`)
  expect(hal.body.envelope.root).toBe(tim.body.envelope.root)
  for (const canary of CANARIES.slice(0, 6)) expect(hal.text).toContain(canary)
  expect(hal.text).not.toContain('"4417"')
  await agents.act('tim:tech', id, 'complete', { epoch: 1 })
  const frames = await agents.get('hal:human', '/v1/users/u_1/frames')
  expect(frames.body.frames).toMatchObject([
    { outcome: { name: 'completed' }, served: { values: { 'need.issue': 'login' } } },
    { outcome: { name: 'passed' } },
  ])
  expect(frames.text).not.toContain('"4417"')
})

test('[HAND-42] an offer holds its sender, urgency and what of the needs is known or missing, and nothing of the user', async () => {
  const agents = await Agents.start()
  await (await agents.caller('ann:triage')).observe('u_secret', { field: 'need.issue', value: 'charge' })
  const socket = await agents.world.socket('ben', 'billing')
  const { id } = await agents.hand('ann:triage', 'u_secret', 'billing', { urgency: 0.9, reason: 'whisper' })
  const { offer } = (await socket.frame(frame => 'offer' in frame)) as { offer?: unknown }
  expect(offer).toMatchObject({
    id,
    from: { agent: 'ann', role: 'triage' },
    urgency: 0.9,
    needs: { known: ['need.issue'], missing: ['need.order', 'identity.verified', 'billing.plan'] },
  })
  expect(JSON.stringify(offer)).not.toMatch(/u_secret|charge|whisper|Help me/)
})

test('[HAND-43] an envelope of the next minor version is kept and passed on whole; an unknown major one is refused; both can be sent', async () => {
  const agents = await Agents.start()
  const { body } = await agents.start('ann:triage', 'u_1')
  const given = { handoff: body.handoff.id, epoch: 1, to: 'billing', reason: 'x' }
  const refused = await agents.post('ann:triage', '/v1/handoffs', { ...given, version: '2.0', shape: 'new' })
  expect(refused.body.error.code).toBe('version_unsupported')
  expect((await agents.post('ann:triage', '/v1/handoffs', { ...given, mood: 'typo' })).body.error.code).toBe(
    'bad_request',
  )
  const both = {
    ...given,
    version: '2.0',
    shape: { of: 'things' },
    also: [{ ...given, version: '1.3', mood: { of: 'the day' } }],
  }
  const made = await agents.post('ann:triage', '/v1/handoffs', both)
  const first = await agents.act('ben:billing', made.body.id, 'accept')
  const extra = { mood: { of: 'the day' }, also: [{ version: '2.0', shape: { of: 'things' } }] }
  expect(first.body).toMatchObject({ envelope: { version: '1.3' }, work: { extra } })
  const next = await agents.post('ben:billing', '/v1/handoffs', {
    handoff: made.body.id,
    epoch: 1,
    to: 'tech',
    reason: 'y',
  })
  const second = await agents.act('tim:tech', next.body.id, 'accept')
  expect(second.body.envelope.sections.find(({ name }) => name === 'extra')?.body).toMatchObject(extra)
  expect(second.body.envelope).toMatchObject({ previous: first.body.envelope.root })
})

test('[HAND-44] a budget that can’t hold what must be told is refused to the sender, and else is kept to with a report', async () => {
  const agents = await Agents.start()
  const { body } = await agents.start('ann:triage', 'u_1', { intent: 'I want it. '.repeat(100) })
  const given = { handoff: body.handoff.id, epoch: 1, to: 'billing', reason: 'a reason', tokens: 60 }
  expect((await agents.post('ann:triage', '/v1/handoffs', given)).body.error.code).toBe('over_budget')
  const threads = Array.from({ length: 20 }, (_, i) => ({
    id: `t${i}`,
    goal: `goal number ${i}`,
    approach: 'try this and that',
  }))
  await agents.act('ann:triage', body.handoff.id, 'work', { epoch: 1, threads })
  const made = await agents.post('ann:triage', '/v1/handoffs', { ...given, tokens: 500 })
  const taken = await agents.act('ben:billing', made.body.id, 'accept')
  const { budget } = taken.body as unknown as { budget: { used: number; trimmed: unknown[] } }
  expect(budget.used).toBeLessThanOrEqual(500)
  expect(budget.trimmed.length).toBeGreaterThan(0)
  expect(taken.body.narrative).toContain('I want it.')
})
