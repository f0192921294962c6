import { expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { hasMessage } from '../../../server/replica/message.ts'
import { after, gap, item, skip, update, updateMessage } from './forgery.ts'
import { Victim } from './victim.ts'

const lie = { field: 'need.issue', value: 'forged', confidence: 1 }

/** Ids that a field or the receipts of a connection write under, as the client knows them. */
const authorsIn = (doc: Y.Doc): number[] => [...Y.decodeStateVector(Y.encodeStateVector(doc)).keys()]

test('[REP-20] who writes under ids of fields, receipts or none of Yjs changes nothing and is heard in nothing', async () => {
  const victim = await Victim.start()
  const authors = authorsIn(victim.replica.doc)
  expect(authors.length).toBeGreaterThan(1)
  await victim.unharmed(async round => {
    const intruder = await victim.intruder()
    for (const client of [...authors, 2 ** 32, 2 ** 40 + round, 2 ** 52, 2 ** 53 - 1])
      for (const clock of [0, 1, 2 ** 31])
        intruder.write({
          client,
          clock,
          structs: [item('evidence', 'stolen', lie), item('outbox', `f${client}`, lie), gap(5)],
        })
    await intruder.heardOut()
    expect(intruder.receipts).toEqual({})
    intruder.socket.close()
  })
})

test("[REP-21] a place in another client's history, or one used twice, is worth nothing: what was settled stays so", async () => {
  const victim = await Victim.start()
  const { replica } = victim
  replica.outbox.set('mine', { field: 'need.goal', value: 'a refund' })
  await vi.waitUntil(() => replica.receipts['mine'])
  const intruder = await victim.intruder()
  const { clientID } = replica.doc
  intruder.write({ client: clientID, structs: [item('outbox', 'mine', { field: 'need.goal', value: 'another' })] })
  expect(await intruder.receipt('mine'), 'an observation of its own, by its own name').toMatchObject({
    status: 'admitted',
  })
  intruder.write({ client: clientID, structs: [item('outbox', 'again', lie)] })
  intruder.write({ client: clientID, clock: 9, structs: [item('outbox', 'nine', { field: 'none', value: 1 })] })
  expect(await intruder.receipt('nine')).toMatchObject({ error: { code: 'field_unavailable' } })
  expect(Object.keys(intruder.receipts), 'a place that is taken').not.toContain('again')
  intruder.send(updateMessage(update([{ client: clientID, structs: [gap(2 ** 40)] }])))
  await intruder.heardOut()
  replica.provider.disconnect()
  replica.outbox.set('later', { field: 'need.goal', value: 'sooner' })
  replica.provider.connect()
  await vi.waitUntil(() => replica.receipts['later'], { timeout: 5_000 })
  const goals = Object.values(replica.evidence).filter(({ field }) => field === 'need.goal')
  expect(goals.map(({ agent, value }) => [agent, value])).toEqual(
    expect.arrayContaining([
      ['mallory', 'another'],
      ['witness', 'sooner'],
    ]),
  )
})

test('[REP-22] clocks that an update leaves out are not taken for settled', async () => {
  const victim = await Victim.start()
  const client = 77
  const first = await victim.intruder()
  first.write({ client, structs: [item('outbox', 'a', lie), skip(1), item('outbox', 'c', lie)] })
  await first.receipt('c')
  const claims = () =>
    first.heard.flatMap(message => (message[0] === 0 && message[1] === 0 ? [message.subarray(3)] : []))
  first.send(hasMessage(Y.encodeStateVector(first.doc)))
  await vi.waitUntil(() => claims().length > 1)
  expect(Y.decodeStateVector(claims()[1] as Uint8Array).get(client)).toBe(1)
})

test('[REP-23] items beside themselves, and two thousand beside what is not there, are passed over', async () => {
  const victim = await Victim.start()
  await victim.unharmed(async () => {
    const intruder = await victim.intruder()
    for (let i = 0; i < 2_000; i++)
      intruder.write({ client: 1_000 + i, clock: i * 7, structs: [after(1_000 + i, i * 7, lie), after(5, i, lie)] })
    intruder.write({ client: 9, structs: [after(9, 0, lie), after(9, 1, lie)] })
    await intruder.heardOut()
    expect([intruder.isOpen, intruder.receipts]).toEqual([true, {}])
    intruder.socket.close()
  })
})
