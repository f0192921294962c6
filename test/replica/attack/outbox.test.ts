import { expect, test } from 'vitest'
import { Peer } from '../../server/hostile/peer.ts'
import { item } from './forgery.ts'
import { Victim } from './victim.ts'

const entries = (count: number, name: string, value: unknown) =>
  Array.from({ length: count }, (_, i) => item('outbox', `${name}-${i}`, value as string))

test('[REP-39] thousands of entries in one update have their receipts, some at a time, while others are served', async () => {
  const victim = await Victim.start()
  const count = 5_000
  await victim.unharmed(async round => {
    const intruder = await victim.intruder()
    intruder.write({ client: 1, structs: entries(count, `r${round}`, 'no observation') })
    await intruder.receipt(`r${round}-${count - 1}`)
    expect(Object.values(intruder.receipts)).toHaveLength(count)
    intruder.socket.close()
  })
})

test('[REP-40] beyond the quota of a user entries are refused, and a person can still write', async () => {
  const victim = await Victim.start({ evidencePerUser: 200, observationsPerRequest: 64 })
  const intruder = await victim.intruder('mallory', 'u_full')
  intruder.write({ client: 1, structs: entries(1_000, 'q', { field: 'need.issue', value: 'more' }) })
  await intruder.receipt('q-999')
  const told = Object.values(intruder.receipts).map(({ status, error }) => error?.code ?? status)
  expect(told).toHaveLength(1_000)
  expect(told.filter(each => each !== 'quota_exceeded').length).toBeLessThanOrEqual(180)
  expect(told.filter(each => each === 'quota_exceeded').length).toBeGreaterThanOrEqual(820)
  const person = await Peer.connect(victim.server, 'ann', 'supervisor')
  expect(await person.observe('u_full', 'a word')).toMatchObject({ ok: { outcomes: [{ status: 'admitted' }] } })
  await victim.goesOn()
})

test('[REP-41] a flood of updates waits its turn: everything is receipted, others are served', async () => {
  const victim = await Victim.start()
  await victim.unharmed(async round => {
    const intruder = await victim.intruder('mallory', 'u_flood')
    const value = { field: 'no.such', value: 1 }
    for (let i = 0; i < 1_500; i++)
      intruder.write({ client: 1, clock: i, structs: [item('outbox', `${round}-${i}`, value)] })
    expect(await intruder.receipt(`${round}-1499`)).toMatchObject({ error: { code: 'field_unavailable' } })
    expect(Object.keys(intruder.receipts)).toHaveLength(1_500)
    intruder.socket.close()
  })
})
