import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import fc from 'fast-check'
import { pino } from 'pino'
import { Webhook as Verifier } from 'standardwebhooks'
import { expect, test } from 'vitest'
import type { Alert } from '../../model/wire/quality.ts'
import { Alerts } from '../../server/quality/alerts.ts'
import { deskOf } from '../handoff/desk.ts'
import { SECOND } from '../server/support/clock.ts'
import { Receiver } from '../server/support/receiver.ts'
import { Fleet } from './fleet.ts'

const brief = ({ kind, tier, state }: Alert): string => `${state} ${tier} ${kind}`

async function listening(fleet: Fleet, agent: string, role: string): Promise<string[]> {
  const desk = await deskOf(fleet.agents.world, agent, role)
  const heard: string[] = []
  desk.onAlert(alert => heard.push(brief(alert)))
  return heard
}

test('[QUAL-7] one failure is an info, three in a row a warning; each is told once, and as resolved by the next success', async () => {
  const fleet = await Fleet.start()
  const heard = await listening(fleet, 'sue', 'supervisor')
  await fleet.failed()
  await expect.poll(() => heard).toEqual(['fired info failure'])
  await fleet.lapsed({})
  await expect.poll(() => heard).toEqual(['fired info failure', 'resolved info failure'])
  heard.length = 0
  await fleet.failed()
  await fleet.unanswered()
  const { id } = await fleet.offer()
  await fleet.accept('ben:billing', id)
  expect(heard).toEqual(['fired info failure'])
  await fleet.end('ben:billing', id, 'fail', { why: 'no' })
  await expect.poll(() => heard).toEqual(['fired info failure', 'fired warning failures_in_a_row'])
  await fleet.failed()
  expect(heard).toHaveLength(2)
  const { alerts } = await fleet.stats()
  expect(alerts.map(brief)).toEqual(['fired warning failures_in_a_row', 'fired info failure', 'resolved info failure'])
  await fleet.completed()
  await expect.poll(() => heard.slice(2)).toEqual(['resolved info failure', 'resolved warning failures_in_a_row'])
})

test('[QUAL-7] completeness under 95 % is a warning, under 80 % critical', async () => {
  const fleet = await Fleet.start()
  const heard = await listening(fleet, 'hal', 'human')
  for (let i = 0; i < 4; i++) await fleet.completed()
  await fleet.completed({ isGappy: true })
  await expect.poll(() => heard).toEqual(['fired warning completeness_below_95'])
  for (let i = 0; i < 4; i++) await fleet.completed({ isGappy: true })
  await expect
    .poll(() => heard)
    .toEqual(['fired warning completeness_below_95', 'fired critical completeness_below_80'])
  for (let i = 0; i < 20; i++) await fleet.completed()
  await expect
    .poll(() => heard.slice(2))
    .toEqual(['resolved critical completeness_below_80', 'resolved warning completeness_below_95'])
})

test('[QUAL-8] alerts are for people of the desk, on sockets, in the log by tier and at the webhook: signed, sent again under one id', async () => {
  const receiver = await Receiver.start(500, 204)
  const lines: { level: number; alert?: Alert }[] = []
  const sink = new Writable({
    write: (chunk, _, done) => {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const fleet = await Fleet.start({
    alertWebhook: receiver.url,
    webhookPace: { firstWait: 5, longestWait: 20 },
    log: pino({ level: 'info' }, sink),
  })
  const agent = await fleet.agents.world.socket('ann', 'triage')
  const subject = await fleet.agents.world.socket('u_1', 'subject')
  for (let i = 0; i < 3; i++) await fleet.failed()
  const received = await receiver.count(3)
  expect(new Set(receiver.ids).size).toBe(2)
  const verifier = new Verifier(readFileSync(join(fleet.agents.world.data, 'webhook.secret'), 'utf8').trim())
  for (const { body, headers } of received) {
    verifier.verify(body, headers as Record<string, string>)
    expect(JSON.parse(body)).toMatchObject({ type: 'alert.fired', data: { to: 'billing' } })
  }
  const logged = lines.filter(({ alert }) => alert)
  expect(logged.map(({ level, alert }) => [level, alert?.kind])).toEqual([
    [30, 'failure'],
    [40, 'failures_in_a_row'],
  ])
  await Promise.all([agent.ask('schema', {}), subject.ask('schema', {})])
  expect([...agent.texts, ...subject.texts].filter(text => text.includes('"alert"'))).toEqual([])
})

test('[QUAL-7] the breaker of a target is told while it is open, also as a state, and resolved when someone answers', async () => {
  const fleet = await Fleet.start()
  const heard = await listening(fleet, 'sue', 'supervisor')
  for (let i = 0; i < 3; i++) await fleet.unanswered()
  await expect.poll(() => heard).toContain('fired critical breaker_open')
  expect((await fleet.stats()).breakers).toEqual({ billing: 'open' })
  const { text } = await (await fleet.agents.caller('sue:supervisor')).get('/metrics')
  expect(text).toContain('selfsame_handoff_alerts{tier="critical",kind="breaker_open",to="billing"} 1')
  const { id } = await fleet.offer()
  fleet.advance(16 * SECOND)
  await expect
    .poll(async () => (await fleet.agents.get('ben:billing', '/v1/handoffs')).body.offers)
    .toMatchObject([{ id }])
  await fleet.accept('ben:billing', id)
  await expect.poll(() => heard).toContain('resolved critical breaker_open')
  expect((await fleet.stats()).breakers).toEqual({})
})

test('[QUAL-9] a breaker that was open when the server ended is told as resolved: a server begins with all of them closed', async () => {
  const fleet = await Fleet.start()
  for (let i = 0; i < 3; i++) await fleet.unanswered()
  expect((await fleet.stats()).alerts.map(brief)).toContain('fired critical breaker_open')
  await fleet.agents.world.restart()
  const { alerts, breakers } = await fleet.stats()
  expect(alerts.map(brief)).toContain('resolved critical breaker_open')
  expect(alerts.map(brief)).not.toContain('fired critical breaker_open')
  expect(breakers).toEqual({})
})

test('[QUAL-9] what is active stays so over a restart, and is not told again', async () => {
  const fleet = await Fleet.start()
  for (let i = 0; i < 3; i++) await fleet.failed()
  const before = (await fleet.stats()).alerts
  expect(before).toHaveLength(2)
  await fleet.agents.world.restart()
  expect((await fleet.stats()).alerts).toEqual(before)
  const heard = await listening(fleet, 'sue', 'supervisor')
  await fleet.failed()
  await fleet.completed()
  await expect.poll(() => heard).toEqual(['resolved info failure', 'resolved warning failures_in_a_row'])
})

const told = (act: (alerts: Alerts) => void): string[] => {
  const heard: string[] = []
  act(new Alerts(undefined, alert => heard.push(brief(alert))))
  return heard
}

test('[QUAL-7] more than 2 % failures is critical, and an open breaker; half of that bound resolves nothing', () => {
  const rate = told(alerts => {
    for (let i = 1; i <= 400; i++) alerts.ended('billing', i === 10 || i === 60, i)
  }).filter(line => line.includes('rate'))
  // One of 50 is 2 %; two of 60 are more; when the first leaves the last 200, one of them is 0.5 %.
  expect(rate).toEqual(['fired critical failure_rate_above_2', 'resolved critical failure_rate_above_2'])
  const breaker = told(alerts => {
    alerts.breaker('billing', true, 1)
    alerts.breaker('billing', true, 2)
    alerts.breaker('billing', false, 3)
  })
  expect(breaker).toEqual(['fired critical breaker_open', 'resolved critical breaker_open'])
})

const act = fc.oneof(
  fc.record({ what: fc.constant('accepted'), value: fc.constantFrom(1, 0.9, 0.5) }),
  fc.record({ what: fc.constant('ended'), value: fc.constantFrom(0, 0, 0, 1) }),
  fc.record({ what: fc.constant('breaker'), value: fc.constantFrom(0, 1) }),
)

test('[QUAL-10] whatever happens, an alert is fired and resolved in turn, under one id each time, and what is kept goes on the same', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 300 }), fc.nat(300), (acts, cut) => {
      const heard: Alert[] = []
      let alerts = new Alerts(undefined, alert => heard.push(alert))
      for (const [i, { what, value }] of acts.entries()) {
        if (i === cut) alerts = new Alerts(JSON.parse(JSON.stringify(alerts.kept())), alert => heard.push(alert))
        if (what === 'accepted') alerts.accepted('billing', value, i)
        else if (what === 'ended') alerts.ended('billing', value === 1, i)
        else alerts.breaker('billing', value === 1, i)
      }
      for (const kind of new Set(heard.map(each => each.kind))) {
        const course = heard.filter(each => each.kind === kind)
        expect(course.map(({ state }) => state)).toEqual(course.map((_, i) => (i % 2 === 0 ? 'fired' : 'resolved')))
        expect(course.every((each, i) => i % 2 === 0 || each.id === course[i - 1]?.id)).toBe(true)
      }
      expect(alerts.active.map(({ id }) => id).sort()).toEqual(
        heard
          .filter(
            ({ id, state }) => state === 'fired' && !heard.some(other => other.id === id && other.state === 'resolved'),
          )
          .map(({ id }) => id)
          .sort(),
      )
    }),
    { numRuns: 100 },
  )
})
