import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evolve, unfitUnder } from '../../../model/evolution.ts'
import { parseModel, type Schema } from '../../../model/schema.ts'
import { scopeOf } from '../../../model/scope.ts'
import { SelfModel } from '../../../model/self-model.ts'
import { view } from '../../../model/view.ts'
import { Caller } from '../support/caller.ts'
import { DAY } from '../support/clock.ts'
import { World } from '../support/world.ts'

/** Schemas that grow out of each other: fields are renamed, change kind, values and half-life, come and go; roles too. */

const NAMES = ['a.one', 'a.two', 'b.one', 'b.two'] as const
const field = fc.oneof(
  fc.record({
    kind: fc.constant('choice'),
    values: fc.constantFrom(['x', 'y'], ['x', 'z'], ['y', 'z', 'true'], ['1', '2']),
    halfLife: fc.constantFrom('1d', '30d', 'never'),
  }),
  fc.record({ kind: fc.constantFrom('flag', 'number', 'text'), halfLife: fc.constantFrom('1d', '30d') }),
  fc.record({ kind: fc.constant('set'), values: fc.constantFrom(['x', 'y'], ['x', 'z']) }),
)
const patterns = fc.constantFrom(['**'], ['a.*'], ['**', '!a.**'], ['b.**'], ['**', '!b.*'])
const role = fc.record({ read: patterns, write: patterns, reach: fc.constant('all') })

const definition = fc
  .record({
    fields: fc.dictionary(fc.constantFrom(...NAMES), field, { minKeys: 2, maxKeys: 4 }),
    renamed: fc.option(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)), { nil: undefined }),
    roles: fc.dictionary(fc.constantFrom('one', 'two', 'three'), role, { minKeys: 1, maxKeys: 3 }),
  })
  .map(({ fields, renamed, roles }) => {
    const [now, was] = renamed ?? []
    const named = Object.entries(fields).map(([name, each]) =>
      name === now && was !== undefined && !(was in fields) ? [name, { ...each, was }] : [name, each],
    )
    const all = { authority: 'human', reach: 'all', read: ['**'], write: ['**'] }
    return parseModel({ fields: Object.fromEntries(named), roles: { ...roles, all } })
  })
  .filter(parsed => parsed.ok)
  .map(parsed => (parsed as { value: Schema }).value)

const said = fc.record({
  field: fc.constantFrom(...NAMES),
  value: fc.constantFrom('x', 'y', 'z', 'true', true, false, 1, 2, '1'),
  confidence: fc.constantFrom(0.3, 0.6, 0.9),
  interaction: fc.constantFrom('i', 'j'),
})

const as = async (world: World, role: string) =>
  new Caller(world.url, await world.token(`agent-${role}`, role, 1_000 * DAY))

let users = 0

test('[CHG-5] law: whatever schema follows whatever schema, nothing breaks, nobody reads more than it says, nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(definition, { minLength: 2, maxLength: 4 }),
      fc.array(said, { minLength: 3, maxLength: 12 }),
      async (schemas, words) => {
        const [first] = schemas as [Schema]
        const world = await World.start({ schema: first })
        try {
          const user = `u${users++}`
          const evidence = async () => (await (await as(world, 'all')).export(user)).evidence
          let known = 0
          for (const [i, schema] of [...schemas, first].entries()) {
            if (i > 0) await world.service.adopt(schema)
            expect(await evidence()).toHaveLength(known)
            for (const word of words.slice(i * 4, i * 4 + 4)) await (await as(world, 'all')).observe(user, word)
            known = (await evidence()).length
            await requireOnlyWhatItSays(world, schema, user)
            if (i > 0) expect(() => evolve(schemas[i - 1] ?? first, schema)).not.toThrow()
          }
          const stored = await evidence()
          const { unfit } = new SelfModel(first, stored)
          expect(unfitUnder(first, stored)).toEqual(unfit)
        } finally {
          await world.stop()
        }
      },
    ),
    { numRuns: 25 },
  )
}, 120_000)

/** Each role is told what its patterns let through of what the evidence means under the schema, and no more. */
async function requireOnlyWhatItSays(world: World, schema: Schema, user: string): Promise<void> {
  const { evidence } = await (await as(world, 'all')).export(user)
  for (const each of schema.roles.values()) {
    const { beliefs, asOf } = await (await as(world, each.name)).model(user)
    const pure = view(new SelfModel(schema, evidence), scopeOf(each), { time: asOf })
    expect(beliefs).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(pure))))
    for (const name of Object.keys(beliefs)) expect(each.read.has(name) && schema.field(name) !== undefined).toBe(true)
  }
}
