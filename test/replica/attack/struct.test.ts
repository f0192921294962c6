import { writeUint8, writeVarUint } from 'lib0/encoding'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { bytes, gap, hasMessage, item, lacksMessage, stateVector, update, updateMessage } from './forgery.ts'
import { Victim } from './victim.ts'

test('[REP-24] deletions of what others wrote, and of what nobody wrote yet, delete nothing', async () => {
  const victim = await Victim.start()
  const known = [...Y.decodeStateVector(Y.encodeStateVector(victim.replica.doc))]
  await victim.unharmed(async () => {
    const intruder = await victim.intruder()
    intruder.send(
      updateMessage(
        update(
          [],
          known.map(([author, clock]) => [author, 0, clock]),
        ),
      ),
      updateMessage(
        update(
          [],
          known.map(([author, clock]) => [author, clock, 2 ** 40]),
        ),
      ),
      lacksMessage(update([], [[2 ** 53 - 1, 0, 2 ** 52]])),
    )
    await intruder.heardOut()
    expect(intruder.isOpen).toBe(true)
    intruder.socket.close()
  })
})

const headerOf = (count: number): Uint8Array =>
  bytes(encoder => {
    writeVarUint(encoder, 1)
    writeVarUint(encoder, count)
    writeVarUint(encoder, 1)
    writeVarUint(encoder, 0)
  })

/** Few bytes that claim to be the beginning of much. */
const CLAIMS = {
  '33 million structs': updateMessage(headerOf(33_000_000)),
  'as many structs as there are numbers': updateMessage(headerOf(2 ** 53 - 1)),
  'as many authors': updateMessage(bytes(encoder => writeVarUint(encoder, 2 ** 53 - 1))),
  'a long array': updateMessage(
    bytes(encoder => {
      for (const byte of [1, 1, 1, 0, 0x28, 1]) writeUint8(encoder, byte)
      for (const byte of [6, ...Buffer.from('outbox'), 1, 65, 1, 117]) writeUint8(encoder, byte)
      writeVarUint(encoder, 2 ** 50)
    }),
  ),
  'a long state vector': hasMessage(bytes(encoder => writeVarUint(encoder, 2 ** 53 - 1))),
  'numbers beyond all numbers': updateMessage(Uint8Array.from(Array(200).fill(0xff))),
  'clocks beyond all numbers': updateMessage(update([{ client: 1, clock: 2 ** 53 - 1, structs: [gap(2 ** 53 - 1)] }])),
}

test('[REP-25] who claims more than it sends is closed with 4400, and nothing is set aside for the claim', async () => {
  const victim = await Victim.start()
  await victim.unharmed(async () => {
    for (const [what, message] of Object.entries(CLAIMS)) {
      const intruder = await victim.intruder()
      intruder.send(message)
      expect(await intruder.closed, what).toBe(4400)
    }
  })
})

test('[REP-26] as many empty structs as fit in a message are read and come to nothing', async () => {
  const victim = await Victim.start()
  const gaps = updateMessage(update([{ client: 3, structs: Array.from({ length: 130_900 }, () => gap(1)) }]))
  const authors = updateMessage(update(Array.from({ length: 50_000 }, (_, client) => ({ client, structs: [] }))))
  await victim.unharmed(async () => {
    const intruder = await victim.intruder()
    for (let i = 0; i < 10; i++) intruder.send(gaps, authors)
    await intruder.heardOut()
    expect([intruder.isOpen, intruder.receipts]).toEqual([true, {}])
    intruder.socket.close()
  })
})

test('[REP-27] an update of the second version says nothing here', async () => {
  const victim = await Victim.start()
  const doc = new Y.Doc()
  doc.getMap('outbox').set('v2', { field: 'need.issue', value: 'second' })
  doc.getMap('evidence').set('v2', { field: 'need.issue', value: 'second' })
  const second = Y.encodeStateAsUpdateV2(doc)
  await victim.unharmed(async () => {
    const intruder = await victim.intruder()
    intruder.send(updateMessage(second), lacksMessage(second))
    await intruder.heardOut()
    expect(intruder.receipts).toEqual({})
    intruder.socket.close()
  })
})

test('[REP-28] other roots, nested types, texts and documents in a document are passed over', async () => {
  const victim = await Victim.start()
  await victim.unharmed(async () => {
    const intruder = await victim.intruder()
    const doc = new Y.Doc()
    doc.getMap('evidence').set('e', { field: 'need.issue', value: 'direct' })
    doc.getMap('receipts').set('r', { status: 'admitted' })
    doc.getMap('outbox').set('typed', new Y.Map([['field', 'need.issue']]))
    doc.getMap('outbox').set('inner', new Y.Doc())
    doc.getMap('outbox').set('bytes', new Uint8Array(100))
    doc.getText('outbox-text').insert(0, 'text', { bold: true })
    doc.getXmlFragment('xml').insert(0, [new Y.XmlElement('p'), new Y.XmlText('t')])
    intruder.send(updateMessage(Y.encodeStateAsUpdate(doc)))
    intruder.write({ client: 4, structs: [item('out\u0000box', 'k', { field: 'need.issue', value: 'near' })] })
    await intruder.heardOut()
    expect([intruder.isOpen, intruder.receipts]).toEqual([true, {}])
    intruder.socket.close()
  })
})

test('[REP-29] a state vector as large as a message is answered or refused, again and again', async () => {
  const victim = await Victim.start()
  const receipts = hasMessage(stateVector(Array.from({ length: 18_000 }, (_, i) => [2 ** 52 + i, 2 ** 40])))
  const clients = hasMessage(stateVector(Array.from({ length: 40_000 }, (_, i) => [i, 1])))
  const unknown = hasMessage(stateVector(Array.from({ length: 18_000 }, (_, i) => [2 ** 40 + i, 1])))
  await victim.unharmed(async () => {
    const patient = await victim.intruder()
    patient.isListening = false
    for (let i = 0; i < 10; i++) patient.send(receipts)
    await patient.heardOut()
    expect(patient.isOpen).toBe(true)
    patient.socket.close()
    for (const [message, code] of [
      [clients, 4400],
      [unknown, 4409],
    ] as const) {
      const intruder = await victim.opened()
      intruder.send(message)
      expect(await intruder.closed).toBe(code)
      expect(intruder.heard).toEqual([])
    }
  })
})
