import { expect, test } from 'vitest'
import { BEGIN, bytes, item, lacksMessage, update, updateMessage } from './forgery.ts'
import { Victim } from './victim.ts'

const word = (value: string) => ({ field: 'need.issue', value })

const NONSENSE = {
  'a text': 'hello',
  'an empty text': '',
  'no bytes': new Uint8Array(),
  'a type that is none': Uint8Array.of(9, 1, 2),
  'an auth message': Uint8Array.of(2, 0, 1, 65),
  'a step that is none': Uint8Array.of(0, 7, 0),
  'a sync cut short': BEGIN.subarray(0, 2),
  'an update cut short': updateMessage(update([{ client: 1, structs: [item('outbox', 'k', word('cut'))] }])).subarray(
    0,
    20,
  ),
  'an awareness cut short': Uint8Array.of(1, 50, 1, 1),
  'a number without an end': Uint8Array.from(Array(30).fill(0x80)),
  'a kind of struct that is none': updateMessage(Uint8Array.of(1, 1, 1, 0, 0x1f, 1, 0)),
}

test('[REP-32] what is no message of the protocol ends its connection with 4400 and no other', async () => {
  const victim = await Victim.start()
  await victim.unharmed(async () => {
    for (const [what, message] of Object.entries(NONSENSE)) {
      const intruder = await victim.intruder()
      intruder.send(message, updateMessage(update([{ client: 1, structs: [item('outbox', 'k', word('behind'))] }])))
      expect(await intruder.closed, what).toBe(4400)
    }
  })
})

test('[REP-33] a message beyond the limit ends its connection with 4413', async () => {
  const victim = await Victim.start()
  const entries = Array.from({ length: 300 }, (_, i) => item('outbox', `k${i}`, word('x'.repeat(1_000))))
  await victim.unharmed(async () => {
    for (const message of [bytes(() => undefined), updateMessage(update([{ client: 1, structs: entries }]))]) {
      const intruder = await victim.intruder()
      intruder.send(message.length > 0 ? message : new Uint8Array(262_145))
      expect(await intruder.closed).toBe(4413)
    }
  })
})

test('[REP-34] before the first sync step nothing counts: no entry, no presence, no question', async () => {
  const victim = await Victim.start()
  const early = update([{ client: 1, structs: [item('outbox', 'early', word('early'))] }])
  await victim.unharmed(async () => {
    const intruder = await victim.opened()
    intruder.send(updateMessage(early), lacksMessage(early), Uint8Array.of(3))
    await intruder.heardOut()
    expect(intruder.receipts).toEqual({})
    intruder.socket.close()
  })
})
