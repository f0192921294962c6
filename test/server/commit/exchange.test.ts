import { expect, test } from 'vitest'
import type { Evidence } from '../../../model/evidence.ts'
import { type Exported, importUser, parseExported } from '../../../server/operation/exported.ts'
import { Archive } from '../../../server/store/archive.ts'
import { Clock, DAY, HOUR } from '../support/clock.ts'
import { World } from '../support/world.ts'

const byId = (a: Evidence, b: Evidence) => (a.id < b.id ? -1 : 1)

const exported = async (world: World): Promise<Exported> => (await world.as('ann', 'human')).export('u')

/** Stops a world, adds what another exported, and starts it again. Says how many pieces were new. */
async function importInto(world: World, from: Exported): Promise<number> {
  await world.stop()
  const archive = await Archive.open(world.data)
  const count = await importUser(archive, parseExported(JSON.parse(JSON.stringify(from))))
  await archive.close()
  await world.restart()
  return count
}

async function twoWorlds() {
  const clock = new Clock()
  return { clock, here: await World.start({ clock }), there: await World.start({ clock }) }
}

const issue = (value: string, more = {}) => ({ field: 'need.issue', value, confidence: 0.7, ...more })

test('[ROOM-50] two stores that exchange exports both ways hold equal evidence and equal beliefs', async () => {
  const { clock, here, there } = await twoWorlds()
  const [bot, tom] = [await here.as('bot', 'triage'), await there.as('tom', 'tech')]
  for (let i = 0; i < 20; i++) {
    await bot.observe('u', issue(`h${i % 3}`, { interaction: `h${i}` }))
    await tom.observe('u', issue(`t${i % 4}`, { interaction: `t${i}` }))
    clock.advance(HOUR / 4)
  }
  await (await here.as('ann', 'human')).correct('u', { field: 'need.urgency', value: 'high' })
  await tom.observe('u', { field: 'need.urgency', value: 'low' })
  await (await there.as('bob', 'human')).retract('u', { interaction: 't3' })
  const [fromHere, fromThere] = [await exported(here), await exported(there)]
  expect(await importInto(here, fromThere)).toBe(fromThere.evidence.length)
  expect(await importInto(there, fromHere)).toBe(fromHere.evidence.length)
  expect(await importInto(here, await exported(there))).toBe(0)
  const [nowHere, nowThere] = [await exported(here), await exported(there)]
  expect([...nowHere.evidence].sort(byId)).toEqual([...nowThere.evidence].sort(byId))
  const models = await Promise.all([here, there].map(async world => (await world.as('ann', 'human')).model('u')))
  expect(models[0]?.asOf).toBe(models[1]?.asOf)
  expect(models[0]?.beliefs).toEqual(models[1]?.beliefs)
})

test('[ROOM-51] what one interaction said in two stores on two days are two episodes, not one', async () => {
  const { clock, here, there } = await twoWorlds()
  await (await here.as('bot', 'triage')).observe('u', issue('refund'))
  clock.advance(DAY)
  await (await there.as('bot', 'triage')).observe('u', issue('refund'))
  const alone = await (await there.as('ann', 'human')).belief('u', 'need.issue')
  await importInto(there, await exported(here))
  const both = await (await there.as('ann', 'human')).belief('u', 'need.issue')
  expect(both.confidence).toBeGreaterThan(alone.confidence)
  expect(both.evidence).toBe(2)
})

test('[ROOM-52] after an import, versions can be read back and writes go on', async () => {
  const { here, there } = await twoWorlds()
  const bot = await here.as('bot', 'triage')
  for (let i = 0; i < 10; i++) await bot.observe('u', { field: 'need.goal', value: `goal ${i}` })
  await bot.observe('u', issue('refund'))
  const { evidence } = await exported(here)
  await importInto(there, { user: 'u', evidence: evidence.slice(-1) })
  const ann = await there.as('ann', 'human')
  const { version } = await ann.model('u')
  expect((await ann.model('u', `?atLeast=${version}`)).version).toBe(version)
  const written = await ann.observe('u', { field: 'need.goal', value: 'more' })
  expect((await ann.model('u', `?atLeast=${written.version}`)).version).toBe(written.version)
})

test('[ROOM-53] the same item sent to both stores is one piece of evidence in each, and they agree on it', async () => {
  const { clock, here, there } = await twoWorlds()
  const said = issue('refund', { id: 'same', at: clock.now() })
  await (await here.as('bot', 'triage')).observe('u', said)
  await (await there.as('tom', 'tech')).observe('u', issue('login_fails'))
  clock.advance(HOUR)
  await (await there.as('bot', 'triage')).observe('u', said)
  const [fromHere, fromThere] = [await exported(here), await exported(there)]
  await importInto(here, fromThere)
  await importInto(there, fromHere)
  const [nowHere, nowThere] = [await exported(here), await exported(there)]
  expect([...nowHere.evidence].sort(byId)).toEqual([...nowThere.evidence].sort(byId))
  expect(nowHere.evidence).toHaveLength(2)
})

test('[ROOM-54] an import that is not an export is refused before anything is written', () => {
  for (const input of [
    null,
    {},
    { user: 'u' },
    { user: 'u', evidence: [{ type: 'word' }] },
    { user: '', evidence: [] },
  ])
    expect(() => parseExported(input)).toThrow()
})
