import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook as Verifier } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { scratch } from '../process/program.ts'
import { Serving } from '../process/serving.ts'
import { type Received, Receiver } from '../support/receiver.ts'
import { Agents } from './agents.ts'

const told = z.object({
  type: z.literal('handoff.offered'),
  data: z.looseObject({ id: z.string(), attempt: z.number() }),
})

const offerIn = ({ body }: Received) => told.parse(JSON.parse(body)).data

const QUICK = { firstWait: 5, longestWait: 20 }

test('[HOOK-7] an offer to a role is sent to its webhook, which can accept over HTTP; other roles hear nothing', async () => {
  const [billing, tech] = [await Receiver.start(), await Receiver.start()]
  const agents = await Agents.start({ offerWebhooks: { billing: billing.url, tech: tech.url } })
  const { id } = await agents.hand('ann:triage', 'u_1', { role: 'billing' })
  const [received] = await billing.count(1)
  const offer = offerIn(received as Received)
  expect(offer).toMatchObject({ id, from: { agent: 'ann', role: 'triage' }, to: { role: 'billing' }, attempt: 1 })
  const accepted = await agents.act('bill:billing', offer.id, 'accept')
  expect(accepted.body).toMatchObject({ user: 'u_1', handoff: { state: 'accepted', holder: { agent: 'bill' } } })
  expect(tech.received).toHaveLength(0)
  const verifier = new Verifier(readFileSync(join(agents.world.data, 'webhook.secret'), 'utf8').trim())
  const { body, headers } = received as Received
  expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({ type: 'handoff.offered' })
})

test('[HOOK-7] a delivery that is sent again keeps its id, and accepting twice is accepting once', async () => {
  const billing = await Receiver.start(500, 500, 204)
  const agents = await Agents.start({ offerWebhooks: { billing: billing.url }, webhookPace: QUICK })
  await agents.hand('ann:triage', 'u_1', { role: 'billing' })
  const received = await billing.count(3)
  expect(new Set(billing.ids).size).toBe(1)
  const ids = received.map(each => offerIn(each).id)
  const answers = await Promise.all(ids.map(id => agents.act('bill:billing', id, 'accept', { request: 'r_1' })))
  expect(answers.map(({ body }) => body.handoff.epoch)).toEqual([1, 1, 1])
})

test('[HOOK-8] nothing of the user, of what is believed or of what was said is sent to a webhook', async () => {
  const billing = await Receiver.start()
  const agents = await Agents.start({ offerWebhooks: { billing: billing.url } })
  const caller = await agents.caller('ann:triage')
  await caller.observe('u_secret_name', { field: 'need.issue', value: 'unauthorized_recurring_charge' })
  await caller.observe('u_secret_name', { field: 'emotion.state', value: 'frustrated' })
  await agents.hand('ann:triage', 'u_secret_name', { role: 'billing' }, { reason: 'CANARY', next: 'CANARY' })
  const [received] = await billing.count(1)
  const all = JSON.stringify(received)
  for (const told of ['u_secret_name', 'CANARY', 'Help me.', 'unauthorized_recurring_charge', 'frustrated', 'emotion'])
    expect(all).not.toContain(told)
})

test('[HOOK-9] a webhook that is down hinders nobody, and what it did not take is counted', async () => {
  const billing = await Receiver.start(500)
  const pace = { ...QUICK, attempts: 2 }
  const agents = await Agents.start({ offerWebhooks: { billing: billing.url }, webhookPace: pace })
  const { id } = await agents.hand('ann:triage', 'u_1', { role: 'billing' })
  expect((await agents.act('bill:billing', id, 'accept')).status).toBe(200)
  await billing.count(2)
  await expect
    .poll(async () => (await fetch(`${agents.world.url}/metrics`)).text())
    .toContain('selfsame_webhook_events_lost_total{type="handoff.offered"} 1')
})

test('[HOOK-10] `serve --offer-webhook ROLE=URL` sends offers there, signed with the secret it keeps', async () => {
  const [data, billing] = [scratch(), await Receiver.start()]
  const serving = await Serving.serve(data, 0, {
    environment: { SELFSAME_OFFER_WEBHOOK: `billing=${billing.url.href}` },
  })
  const bearer = await serving.token('ann', 'triage')
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${bearer}` }
    const response = await fetch(`${serving.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return z
      .looseObject({ id: z.string().optional(), handoff: z.looseObject({ id: z.string() }).optional() })
      .parse(await response.json())
  }
  const { handoff } = await post('/v1/users/u_1/work', { intent: 'Help me.' })
  await post('/v1/handoffs', { handoff: handoff?.id, epoch: 1, to: { role: 'billing' }, reason: 'yours' })
  const [received] = await billing.count(1)
  const verifier = new Verifier(readFileSync(join(data, 'webhook.secret'), 'utf8').trim())
  const { body, headers } = received as Received
  expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({ type: 'handoff.offered' })
})
