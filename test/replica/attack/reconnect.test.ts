import { expect, test } from 'vitest'
import { BEGIN, QUERY } from './forgery.ts'
import { Victim } from './victim.ts'

const TEXT = 'x'.repeat(16_000)

test('[REP-42] who comes and goes without end, politely or not, is served each time and hinders nobody', async () => {
  const victim = await Victim.start()
  await victim.unharmed(async () => {
    const polite = await Promise.all(Array.from({ length: 20 }, () => victim.intruder()))
    const rude = await Promise.all(Array.from({ length: 20 }, () => victim.opened()))
    for (const { socket } of polite) socket.close()
    for (const intruder of rude) {
      intruder.send(BEGIN, QUERY)
      intruder.socket.terminate()
    }
    await Promise.all([...polite, ...rude].map(({ closed }) => closed))
  })
})

test('[REP-43] a replica that does not read what it is sent is closed with 4508, and the others do not feel it', async () => {
  const victim = await Victim.start({
    sendQueueBytes: 65_536,
    sendQueueMaximum: 4_194_304,
    slowReaderDeadline: 200,
    tokenCheck: 50,
    messageDeadline: 30_000,
  })
  const observations = [{ field: 'need.goal', value: TEXT }]
  await victim.honest.ask('observe', { user: 'u_victim', observations })
  const stalled = await victim.intruder('stalled')
  stalled.socket.pause()
  await victim.unharmed(async round => {
    if (round === 0) for (let i = 0; i < 3_000; i++) stalled.send(BEGIN)
    await (await victim.intruder()).heardOut()
  })
  stalled.socket.resume()
  expect(await stalled.closed).toBe(4508)
})
