import { expect, test } from 'vitest'
import { RHYTHM } from '../../client/pulse.ts'
import { deskAt, impatient, scripted } from './desk-at.ts'
import { modelAnswer } from './scripted-server.ts'

const quick = { ...impatient, rhythm: { quiet: 50, silence: 500 } }

test('[SDK-25] a connection on which nothing is heard for 45 s counts as lost', async () => {
  expect(RHYTHM.silence).toBe(45_000)
  const server = await scripted()
  const { desk, peer } = await deskAt(server, { environment: quick })
  const read = desk.user('u_42').model()
  const question = await peer.asked()
  const next = await server.greeted()
  const again = await next.asked()
  expect(again).toEqual({ ...question, id: again.id })
  next.answer(again, modelAnswer({}))
  await read
})

test('[SDK-25] a connection that is only quiet is asked for a sign of life, and any answer is one', async () => {
  const server = await scripted()
  const { peer } = await deskAt(server, { environment: quick })
  for (let round = 0; round < 5; round++) {
    const asked = await peer.asked()
    expect(asked).toMatchObject({ op: 'unwatch' })
    if (round % 2 === 0) peer.answer(asked, {})
    else peer.refuse(asked, 'bad_request')
  }
})

test('[SDK-25] a ping of the server is a sign of life', async () => {
  const server = await scripted()
  const { peer } = await deskAt(server, { environment: quick })
  for (let round = 0; round < 5; round++) {
    await peer.asked()
    peer.ping()
  }
})
