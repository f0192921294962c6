import { expect, test } from 'vitest'
import { DAY, SECOND } from '../server/support/clock.ts'
import { exactQuantile, Fleet, type Handing, type Ledger, mean } from './fleet.ts'

const COUNTED = [
  'offered',
  'accepted',
  'declined',
  'completed',
  'returned',
  'passed',
  'exhausted',
  'lapsed',
  'failed',
  'parked',
] as const

/** Every fate there is, with times spread over four orders of magnitude. */
async function drive(fleet: Fleet, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    const handing: Handing = {
      after: Math.round(40 * 1.7 ** (i % 13)),
      isGappy: i % 3 === 0,
      ...(i % 4 === 0 && { tokens: 900 }),
    }
    await fleet.completed(handing)
    if (i % 3 === 0) await fleet.returned(handing)
    if (i % 4 === 1) await fleet.passed(handing)
    if (i % 4 === 2) await fleet.failed(handing)
    if (i % 5 === 3) await fleet.lapsed(handing)
    if (i % 6 === 4) await fleet.unanswered()
    if (i % 5 === 1) await fleet.declined(handing)
    if (i % 6 === 2) await fleet.withdrawn()
  }
}

function expectCounted(told: Record<string, unknown>, ledger: Ledger): void {
  const { counts, latencies, completeness, hops, tokens } = ledger
  const of = (name: string) => counts[name] ?? 0
  expect(Object.fromEntries(COUNTED.map(name => [name, told[name]]))).toEqual(
    Object.fromEntries(COUNTED.map(name => [name, of(name)])),
  )
  const failures = of('exhausted') + of('lapsed') + of('failed')
  const ends = failures + of('completed') + of('returned') + of('passed')
  expect(told['failureRate']).toBeCloseTo(failures / ends, 9)
  expect(told['completeness']).toBeCloseTo(mean(completeness), 9)
  expect(told['hops']).toEqual({ mean: expect.closeTo(mean(hops), 9), most: Math.max(...hops) })
  if (tokens.length > 0) expect(told['tokens']).toBeCloseTo(mean(tokens), 9)
  const latency = told['latency'] as Record<string, number>
  for (const [name, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
  ] as const) {
    const exact = exactQuantile(latencies, share)
    expect(Math.abs((latency[name] ?? 0) - exact), `${name}: ${latency[name]} for ${exact}`).toBeLessThanOrEqual(
      0.026 * exact + 1,
    )
  }
}

test('[QUAL-1] [QUAL-2] counts, latency, completeness, failure rate, hops and tokens by role are those that the driver of the handoffs counted itself, also after a restart', async () => {
  const fleet = await Fleet.start()
  await drive(fleet, 13)
  const told = await fleet.stats()
  expect(Object.keys(told.targets)).toEqual(['billing', 'tech', 'triage'])
  for (const [role, ledger] of fleet.ledgers) expectCounted(told.targets[role], ledger)
  const accepted = [...fleet.ledgers.values()].map(({ counts }) => counts['accepted'] ?? 0)
  expect(told.total.accepted).toBe(accepted.reduce((a, b) => a + b))
  await fleet.agents.world.restart()
  const { alerts: _, open: __, ...again } = await fleet.stats()
  expect(again).toEqual({ ...told, alerts: undefined, open: undefined })
}, 60_000)

test('[QUAL-3] Prometheus is told the same, with roles for labels and nothing of users, agents or fields', async () => {
  const fleet = await Fleet.start()
  await drive(fleet, 5)
  const text = (await (await fleet.agents.caller('sue:supervisor')).get('/metrics')).text
  const value = (name: string) =>
    Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
  for (const [role, { counts, latencies, completeness, hops, tokens }] of fleet.ledgers) {
    for (const name of COUNTED)
      expect([name, value(`selfsame_handoff_events_total{event="${name}",to="${role}"}`)]).toEqual([
        name,
        counts[name] ?? 0,
      ])
    expect(value(`selfsame_handoff_accept_seconds_count{to="${role}"}`)).toBe(latencies.length)
    expect(value(`selfsame_handoff_accept_seconds_sum{to="${role}"}`)).toBeCloseTo(
      latencies.reduce((a, b) => a + b) / 1_000,
      6,
    )
    expect(value(`selfsame_handoff_completeness_sum{to="${role}"}`)).toBeCloseTo(
      completeness.reduce((a, b) => a + b),
      9,
    )
    expect(value(`selfsame_handoff_hops_sum{to="${role}"}`)).toBe(hops.reduce((a, b) => a + b))
    expect(value(`selfsame_handoff_tokens_sum{to="${role}"}`)).toBe(tokens.reduce((a, b) => a + b, 0))
  }
  expect(text).not.toMatch(/u_\d|"ann"|"ben"|need\./)
}, 60_000)

test('[QUAL-4] a repeat is what the holder hears though it could have read it, once a field and handoff, and by whatever way it is written', async () => {
  const fleet = await Fleet.start()
  const said = async (user: string, name: string, field: string, value: unknown, basis = 'heard') =>
    (await fleet.agents.caller(name)).observe(user, { field, value, basis })
  const repeats = async () => {
    const { billing } = (await fleet.stats()).targets
    return [billing.heard, billing.repeats]
  }
  const { id, user } = await fleet.offer()
  await said(user, 'ann:triage', 'emotion.state', 'angry')
  await said(user, 'ann:triage', 'technical.product', 'app')
  await said(user, 'ben:billing', 'need.issue', 'charge')
  await fleet.accept('ben:billing', id, { after: SECOND })
  await said(user, 'ann:triage', 'need.issue', 'charge')
  await said(user, 'ben:billing', 'billing.plan', 'pro', 'seen')
  await said(user, 'ben:billing', 'billing.plan', 'pro')
  expect(await repeats().catch(() => [0, 0])).toEqual([0, 0])
  await said(user, 'ben:billing', 'need.issue', 'charge')
  await said(user, 'ben:billing', 'need.issue', 'charge')
  expect(await repeats()).toEqual([1, 1])
  await said(user, 'ben:billing', 'need.order', 'A17')
  await said(user, 'ben:billing', 'need.urgency', 'high')
  expect(await repeats()).toEqual([3, 1])
  const { id: tech } = (
    await fleet.agents.post('ben:billing', '/v1/handoffs', { handoff: id, epoch: 1, to: 'tech', reason: 'bug' })
  ).body
  await fleet.accept('tom:tech', tech, { after: SECOND })
  const replica = await fleet.agents.world.socket('tom', 'tech')
  await replica.ask('observe', {
    user,
    observations: [
      { field: 'need.urgency', value: 'low', basis: 'heard' },
      { field: 'need.order', value: 'A17', basis: 'heard' },
    ],
  })
  expect((await fleet.stats()).targets.tech).toMatchObject({ heard: 2, repeats: 1, repeatRate: 0.5 })
})

test('[QUAL-5] a trend has a row for each week, from Monday on, or day; what is old makes room', async () => {
  const fleet = await Fleet.start()
  await fleet.completed()
  fleet.advance(8 * DAY)
  await fleet.agents.world.restart()
  await fleet.completed()
  await fleet.failed()
  const { trend, total, by } = await fleet.stats()
  expect(by).toBe('week')
  expect(total.accepted).toBe(3)
  const rows = trend.filter((row: { total: { accepted: number } }) => row.total.accepted > 0)
  expect(rows.map((row: { from: number; total: object }) => [new Date(row.from).getUTCDay(), row.total])).toMatchObject(
    [
      [1, { accepted: 1, failureRate: 0 }],
      [1, { accepted: 2, failureRate: 0.5 }],
    ],
  )
  const days = await fleet.stats('?by=day&from=2026-01-12&to=2026-01-14')
  expect(days.trend).toHaveLength(2)
  expect(days.total.accepted).toBe(2)
  fleet.advance(410 * DAY)
  await fleet.agents.world.restart()
  await fleet.completed()
  expect((await fleet.stats('?from=2026-01-01')).total.accepted).toBe(1)
})

test('[QUAL-6] only people of the desk see the stats; a time that is none is named', async () => {
  const fleet = await Fleet.start()
  expect((await fleet.stats('', 'ann:triage')).error.code).toBe('forbidden')
  expect((await fleet.stats('', 'u_1:subject')).error.code).toBe('forbidden')
  expect((await fleet.stats('?from=yesterday')).error).toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining('from: expected milliseconds'),
  })
  expect((await fleet.stats('?from=2026-01-05&to=2026-01-01')).error.code).toBe('bad_request')
})
