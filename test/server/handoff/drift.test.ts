import { expect, test } from 'vitest'
import { Agents, type Answer } from './agents.ts'

const WORDS = 'You charged me twice!'
const RULES = ['no calls', 'nothing in writing']
const GRANT = { fields: ['need.*', 'billing.*'], actions: { refund: { amount: { max: 50 } } } }

const eventsOf = (answer: Answer) => JSON.stringify(answer.body['events'])

test('[FLEET-20] along ten hops each attempt to drop a constraint, reword the intent or widen the grant is refused, is to be seen, and changes nothing', async () => {
  const agents = await Agents.start()
  const started = await agents.start('a0:triage', 'u_1', { intent: WORDS, constraints: RULES, grant: GRANT })
  let [id, agent] = [started.body.handoff.id, 'a0:triage']
  let root = started.body.envelope.root
  for (let hop = 1; hop <= 10; hop++) {
    const next = `a${hop}:${hop % 2 === 1 ? 'billing' : 'tech'}`
    const to = next.split(':')[1]
    const hand = (more: object) =>
      agents.post(agent, '/v1/handoffs', { handoff: id, epoch: 1, to, reason: 'yours', ...more })
    const attempts = {
      'restated.constraints': { restated: { constraints: ['no calls'] } },
      'restated.intent.words': { restated: { intent: 'I like my bill.' } },
      'grant.fields': { grant: { fields: ['**'] } },
      'grant.actions.refund': { grant: { actions: { refund: { amount: { max: 51 } } } } },
    }
    for (const [path, more] of Object.entries(attempts)) {
      const refused = await hand(more)
      expect([refused.status, refused.body.error.code]).toEqual([409, 'drift'])
      expect(refused.body.error).toMatchObject({ details: [{ path }] })
    }
    const inspected = await agents.get('sue:supervisor', `/v1/handoffs/${id}`)
    expect(eventsOf(inspected).split('drift refused').length - 1).toBe(4)
    for (const path of Object.keys(attempts)) expect(eventsOf(inspected)).toContain(path)
    const same = { intent: { words: WORDS }, constraints: RULES }
    const { body } = await hand({ restated: same, grant: { fields: ['need.*'] } })
    expect(body.error.code).toBe('')
    const taken = await agents.act(next, body.id, 'accept')
    expect(taken.body).toMatchObject({ work: { intent: { words: WORDS }, constraints: RULES.map(text => ({ text })) } })
    expect(taken.body.envelope).toMatchObject({ previous: root })
    const grant = taken.body.envelope.sections.find(({ name }) => name === 'grant')
    expect(grant?.body).toMatchObject({ fields: ['need.*'], actions: GRANT.actions })
    ;[id, agent, root] = [body.id, next, taken.body.envelope.root]
  }
}, 30_000)

test('[FLEET-21] who does not hold the work learns nothing by trying to change it', async () => {
  const agents = await Agents.start()
  const started = await agents.start('ann:triage', 'u_1', { constraints: RULES })
  const { id } = started.body.handoff
  const restated = { constraints: [] }
  const tried = await agents.post('bob:triage', '/v1/handoffs', {
    handoff: id,
    epoch: 1,
    to: 'tech',
    reason: 'x',
    restated,
  })
  expect(tried.body.error.code).toBe('fenced')
  expect(tried.text).not.toContain('no calls')
})

test('[FLEET-13] a routing loop ends at the limit with its path named, waits for a person, and shows who went round', async () => {
  const agents = await Agents.start({ limits: { hops: 5 } })
  const started = await agents.start('ben:billing', 'u_1')
  let id = started.body.handoff.id
  const names = ['ben:billing', 'tim:tech']
  for (let hop = 0; hop < 5; hop++) {
    const [from = '', to = ''] = [names[hop % 2], names[(hop + 1) % 2]]
    const given = { handoff: id, epoch: 1, to: to.split(':')[1], reason: 'yours', mode: 'choreographed' }
    const { body } = await agents.post(from, '/v1/handoffs', given)
    expect((await agents.act(to, body.id, 'accept')).body.handoff).toMatchObject({ mode: 'choreographed' })
    id = body.id
  }
  const given = { handoff: id, epoch: 1, to: 'billing', reason: 'yours', mode: 'choreographed' }
  const ended = await agents.post('tim:tech', '/v1/handoffs', given)
  const path = 'ben → tim → ben → tim → ben → tim → billing'
  expect(ended.body.error).toMatchObject({
    code: 'hop_limit',
    details: [
      { path: 'hops', message: path },
      { path: 'cycles', message: 'ben, tim' },
    ],
  })
  const listed = await agents.get('sue:supervisor', '/v1/handoffs?state=parked')
  expect(listed.body.handoffs).toMatchObject([{ id, why: 'hop_limit' }])
  const seen = await agents.get('sue:supervisor', `/v1/handoffs/${id}`)
  expect(eventsOf(seen)).toContain(path)
  expect((await agents.act('tim:tech', id, 'renew', { epoch: 1 })).body.error.code).toBe('fenced')
})
