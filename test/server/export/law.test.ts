import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Evidence } from '../../../model/evidence.ts'
import { type Exported, importUser, parseExported } from '../../../server/operation/exported.ts'
import { Archive } from '../../../server/store/archive.ts'
import { Caller } from '../support/caller.ts'
import { Clock, DAY, HOUR } from '../support/clock.ts'
import { World } from '../support/world.ts'

const deed = fc.record({
  name: fc.constantFrom('u', 'v'),
  by: fc.constantFrom('bot', 'ann'),
  said: fc.constantFrom(
    { field: 'need.issue', value: 'refund' },
    { field: 'need.issue', value: 'login_fails' },
    { field: 'emotion.state', value: 'calm' },
    { field: 'technical.tried', value: ['restart'] },
    { field: 'need.goal', value: 'a new card' },
  ),
  confidence: fc.double({ min: 0.1, max: 0.99, noNaN: true }),
  interaction: fc.constantFrom('a', 'b'),
  wait: fc.constantFrom(0, HOUR, 2 * DAY),
  kind: fc.constantFrom('observe', 'observe', 'observe', 'retract'),
})

const byId = (a: Evidence, b: Evidence) => (a.id < b.id ? -1 : 1)
const evidenceIn = ({ evidence, aliases = [] }: Exported) => [
  [...evidence].sort(byId),
  aliases.map(({ alias, by, at, evidence }) => ({ alias, by, at, evidence: [...evidence].sort(byId) })),
]

test('[EXP-11] law: what was exported and imported holds equal evidence and equal names, and believes the same at every time', async () => {
  const clock = new Clock()
  const [here, there] = [await World.start({ clock }), await World.start({ clock })]
  const as = async (world: World, agent: string, role: string) =>
    new Caller(world.url, await world.token(agent, role, 1_000 * DAY))
  let round = 0
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 8 }), fc.boolean(), async (deeds, isJoined) => {
      const number = round++
      const called = (name: string) => `${name}_${number}`
      const sue = await as(here, 'sue', 'supervisor')
      for (const { name, by, said, confidence, interaction, wait, kind } of deeds) {
        clock.advance(wait)
        const caller = await as(here, by, by === 'ann' ? 'human' : 'triage')
        if (kind === 'retract') await caller.retract(called(name), { field: said.field, interaction })
        else await caller.observe(called(name), { ...said, confidence, interaction })
      }
      if (isJoined) await sue.post(`/v1/users/${called('u')}/aliases`, { alias: called('v') })
      const exported = await sue.export(called('u'))
      await there.stop()
      const archive = await Archive.open(there.data)
      await importUser(archive, parseExported(JSON.parse(JSON.stringify(exported))))
      await archive.close()
      await there.restart()
      const other = await as(there, 'sue', 'supervisor')
      expect(evidenceIn(await other.export(called('u')))).toEqual(evidenceIn(exported))
      for (const wait of [0, HOUR, 5 * DAY, 40 * DAY]) {
        clock.advance(wait)
        const [one, two] = [await sue.model(called('u')), await other.model(called('u'))]
        expect(two.beliefs).toEqual(one.beliefs)
      }
    }),
    { numRuns: 12 },
  )
}, 60_000)
