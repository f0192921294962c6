import { expect, test } from 'vitest'
import { strictDesk } from '../../../model/sample/strict-desk.ts'
import { Agents } from './agents.ts'

test('[FLEET-22] handoffs are listed by any state, page by page, each once, and only those of users one reaches', async () => {
  const agents = await Agents.start()
  const ids: string[] = []
  for (let i = 0; i < 7; i++) {
    const { id } = await agents.hand('ann:triage', `u_${i % 3}`, 'billing')
    await agents.act('ben:billing', id, 'accept')
    await agents.act('ben:billing', id, 'complete', { epoch: 1 })
    ids.push(id)
  }
  const open = await Promise.all([0, 1, 2, 3, 4].map(i => agents.hand('ann:triage', `u_${i}`, 'tech')))
  const all = async (name: string, state: string) => {
    const [found, pages]: [unknown[], unknown[][]] = [[], []]
    for (let after = ''; ; ) {
      const { body } = await agents.get(name, `/v1/handoffs?state=${state}&limit=2${after && `&after=${after}`}`)
      const page = body.handoffs.map(each => (each as { id: string }).id)
      pages.push(page)
      found.push(...page)
      if (body['next'] === null) return { found, most: Math.max(...pages.map(({ length }) => length)) }
      after = String(body['next'])
    }
  }
  const completed = await all('sue:supervisor', 'completed')
  expect([...completed.found].sort()).toEqual([...ids].sort())
  expect(completed.most).toBe(2)
  expect([...(await all('sue:supervisor', 'offered')).found].sort()).toEqual(open.map(({ id }) => id).sort())
  expect((await all('u_1:subject', 'completed')).found).toHaveLength(2)
  expect((await agents.get('sue:supervisor', '/v1/handoffs?state=completed&after=x')).body.error.code).toBe(
    'bad_request',
  )
})

test('[FLEET-23] who holds several handoffs of a user reaches what any of them reaches, and each no more than its own', async () => {
  const agents = await Agents.start({ schema: strictDesk })
  const sue = await agents.caller('sue:supervisor')
  await sue.observe('u_1', { field: 'need.issue', value: 'charge' }, { field: 'billing.plan', value: 'pro' })
  const reach = async () => Object.keys((await agents.get('ben:billing', '/v1/users/u_1/model')).body.beliefs).sort()
  const [need, plan] = [
    await agents.hand('sue:supervisor', 'u_1', 'billing', { grant: { fields: ['need.*'] } }),
    await agents.hand('sue:supervisor', 'u_1', 'billing', { grant: { fields: ['billing.*'] } }),
  ]
  await agents.act('ben:billing', need.id, 'accept')
  expect(await reach()).toEqual(['need.issue'])
  await agents.act('ben:billing', plan.id, 'accept')
  expect(await reach()).toEqual(['billing.plan', 'need.issue'])
  const under = { handoff: plan.id, epoch: 1 }
  const observations = [{ field: 'need.issue', value: 'other' }]
  const beyond = await agents.post('ben:billing', '/v1/users/u_1/observations', { under, observations })
  expect(JSON.stringify(beyond.body)).toContain('field_unavailable')
  await agents.act('ben:billing', plan.id, 'complete', { epoch: 1 })
  expect(await reach()).toEqual(['need.issue'])
})
