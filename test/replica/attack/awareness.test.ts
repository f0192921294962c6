import { expect, test, vi } from 'vitest'
import { awareness, QUERY } from './forgery.ts'
import { Victim } from './victim.ts'

const WAIT = { timeout: 10_000 }
const SOON = 600

/** What the honest client shows of the others. */
const seen = ({ replica }: Victim): Record<string, unknown>[] =>
  [...replica.provider.awareness.getStates()]
    .filter(([client]) => client !== replica.doc.clientID)
    .map(([, state]) => state)

const rest = () => new Promise(resolve => setTimeout(resolve, SOON))

test("[REP-35] presence goes out under the server's id and the token's name, whatever it claims, and never to its sender", async () => {
  const victim = await Victim.start()
  victim.replica.provider.awareness.setLocalState({ typing: true })
  const intruder = await victim.intruder()
  await vi.waitUntil(() => intruder.shown.some(({ state }) => JSON.stringify(state).includes('typing')), WAIT)
  const { client: shown } = intruder.shown.at(-1) ?? { client: 0 }
  const mine = (state: object) => awareness([7, 2 ** 53 - 1, JSON.stringify(state)])
  intruder.send(
    mine({ agent: 'witness', role: 'supervisor', mood: 'sly' }),
    awareness([victim.replica.doc.clientID, 2 ** 50, '{"mood":"spoofed"}']),
    awareness([shown, 2 ** 50, 'null'], [8, 1, '{"mood":"second"}']),
    awareness([7, 0, '{"mood":"older clock","__proto__":{"agent":"x"},"constructor":{"prototype":{"role":"y"}}}']),
  )
  await vi.waitUntil(() => seen(victim).some(({ mood }) => mood === 'older clock'), WAIT)
  expect(seen(victim)).toEqual([{ mood: 'older clock', agent: 'mallory', role: 'triage' }])
  expect(victim.replica.provider.awareness.getLocalState()).toEqual({ typing: true })
  expect(JSON.stringify(intruder.shown)).not.toContain('mallory')
  expect(intruder.shown.every(({ client }) => client >= 2 ** 52)).toBe(true)
  intruder.socket.close()
  await vi.waitUntil(() => seen(victim).length === 0, WAIT)
})

test('[REP-36] states that are too long, no objects or not JSON are not passed on', async () => {
  const victim = await Victim.start()
  const states = [JSON.stringify({ long: 'x'.repeat(2_000) }), '[1]', '1', '"text"', '{', '', 'x'.repeat(200_000)]
  await victim.unharmed(async () => {
    const intruder = await victim.intruder()
    for (const [clock, state] of states.entries()) intruder.send(awareness([7, clock, state]))
    await intruder.heardOut()
    expect(intruder.isOpen).toBe(true)
    intruder.socket.close()
  })
  await rest()
  expect(seen(victim)).toEqual([])
})

test('[REP-37] however often someone speaks or asks, the others are told the last of it, a few times a second', async () => {
  const victim = await Victim.start()
  const listener = await victim.intruder('listener')
  const since = performance.now()
  await victim.unharmed(async round => {
    const intruder = await victim.intruder()
    for (let i = 0; i < 500; i++) intruder.send(awareness([7, i, JSON.stringify({ round, i })]), QUERY)
    await intruder.heardOut()
    expect(intruder.heard.length, 'what it was sent for a thousand messages').toBeLessThan(60)
    intruder.socket.close()
  })
  const tellings = listener.heard.filter(([type]) => type === 1).length
  expect(tellings).toBeLessThanOrEqual(2 + (performance.now() - since) / 200)
  expect(victim.replica.closures).toEqual([])
})

test('[REP-38] of one agent eight are shown, of all sixty-four; the others attend unseen', async () => {
  const victim = await Victim.start()
  const crowd = await Promise.all(
    Array.from({ length: 12 * 10 }, (_, i) => victim.intruder(`crowd-${Math.floor(i / 12)}`)),
  )
  for (const [i, each] of crowd.entries()) each.send(awareness([100 + i, 1, `{"i":${i}}`]))
  await Promise.all(crowd.map(each => each.heardOut()))
  await vi.waitUntil(() => seen(victim).length > 0, WAIT)
  await rest()
  const counts = new Map<unknown, number>()
  for (const { agent } of seen(victim)) counts.set(agent, (counts.get(agent) ?? 0) + 1)
  expect(seen(victim).length).toBeLessThanOrEqual(64)
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(8)
  await victim.goesOn()
})
