import type { AnyEncodable } from 'lib0/encoding'
import { expect, test } from 'vitest'
import { item } from './forgery.ts'
import { Victim } from './victim.ts'

const nested = (depth: number): AnyEncodable => {
  let value: AnyEncodable = 1
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { inner: value }
  return value
}

/** Writes values one after another and tells what became of each. */
async function receipts(victim: Victim, values: readonly AnyEncodable[], name: string) {
  const intruder = await victim.intruder()
  const keys = values.map((_, i) => `${name}-${i}`)
  intruder.write({ client: 5, structs: values.map((value, i) => item('outbox', keys[i] as string, value)) })
  const told = await Promise.all(keys.map(key => intruder.receipt(key)))
  intruder.socket.close()
  return told.map(({ status, error }) => error?.code ?? status)
}

test('[REP-30] values nested however deep are refused one by one; what stands beside them is admitted', async () => {
  const victim = await Victim.start()
  const deep = (value: AnyEncodable) => ({ field: 'technical.environment', value })
  expect(
    await receipts(
      victim,
      [deep(nested(20)), deep(nested(40)), deep(nested(2_000)), [nested(2_000)], { field: 'need.goal', value: 'flat' }],
      'depth',
    ),
  ).toEqual(['value_too_deep', 'bad_request', 'bad_request', 'bad_request', 'admitted'])
  const bottomless = (encoder: Parameters<ReturnType<typeof item>>[0]) => {
    item('outbox', 'bottomless', nested(2_000))(encoder)
  }
  await victim.unharmed(async () => {
    const intruder = await victim.intruder()
    intruder.write({ client: 6, structs: Array.from({ length: 15 }, () => bottomless) })
    expect(await intruder.receipt('bottomless')).toMatchObject({ error: { code: 'bad_request' } })
    intruder.socket.close()
  })
})

/** A key that an object literal can't have. */
const keyed = (key: string, value: AnyEncodable): AnyEncodable =>
  Object.defineProperty({}, key, { value, enumerable: true, configurable: true, writable: true })

test('[REP-31] keys named after prototypes reach nobody: in the outbox, in an entry, in a value', async () => {
  const victim = await Victim.start()
  const poison = { field: 'need.issue', value: 'poisoned', id: 'poison', admin: true }
  await victim.unharmed(async round => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const refused = await receipts(
        victim,
        [keyed(key, poison), { field: 'technical.environment', value: keyed(key, poison) }],
        `${key.slice(2, 5)}-${round}`,
      )
      expect(refused).not.toContain('admitted')
      const intruder = await victim.intruder()
      intruder.write({ client: 8, structs: [item('outbox', key, { field: 'need.issue', value: 'named' })] })
      await intruder.heardOut()
      expect(JSON.stringify(victim.replica.evidence)).not.toContain('named')
      intruder.socket.close()
    }
  })
  expect(await receipts(victim, [{ value: 1 }, {}], 'empty')).toEqual(['bad_request', 'bad_request'])
})
