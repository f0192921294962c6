import fc from 'fast-check'
import { expect, test } from 'vitest'
import { desk } from '../../../model/sample/desk.ts'
import { scopeOf } from '../../../model/scope.ts'
import { SelfModel } from '../../../model/self-model.ts'
import { view } from '../../../model/view.ts'
import { Caller } from '../support/caller.ts'
import { Clock, DAY, HOUR } from '../support/clock.ts'
import { World } from '../support/world.ts'

/** Something said of the visitor (0) or the account (1), by whom, how long after what came before. */
const deed = fc.record({
  name: fc.constantFrom('v', 'u'),
  by: fc.constantFrom('bot', 'tom', 'ann'),
  field: fc.constantFrom('need.issue', 'emotion.state', 'need.urgency'),
  value: fc.integer({ min: 0, max: 1 }),
  confidence: fc.double({ min: 0.1, max: 0.99, noNaN: true }),
  interaction: fc.constantFrom('a', 'b'),
  wait: fc.constantFrom(0, HOUR, 2 * DAY),
  kind: fc.constantFrom('observe', 'observe', 'observe', 'retract'),
})
type Drawn = typeof deed extends fc.Arbitrary<infer T> ? T : never
type Deed = Omit<Drawn, 'interaction'> & { readonly interaction: string }

const VALUES: Readonly<Record<string, readonly string[]>> = {
  'need.issue': ['refund', 'login_fails'],
  'emotion.state': ['calm', 'angry'],
  'need.urgency': ['low', 'high'],
}

const ROLES = { bot: 'triage', tom: 'triage', ann: 'human' } as const

/** A visitor and an account, each with agents of its own, as trust is learned of agents. */
class Pair {
  readonly #world: World
  readonly #number = count++

  constructor(world: World) {
    this.#world = world
  }

  called(name: string): string {
    return `${name}_${this.#number}`
  }

  async as(agent: string, role: string): Promise<Caller> {
    return new Caller(this.#world.url, await this.#world.token(agent, role, 1_000 * DAY))
  }

  get sue(): Promise<Caller> {
    return this.as('sue', 'supervisor')
  }

  async does({ name, by, field, value, confidence, interaction, kind }: Deed): Promise<void> {
    const caller = await this.as(`${by}-${name}`, ROLES[by])
    if (kind === 'retract') await caller.retract(this.called(name), { field, interaction })
    else
      await caller.observe(this.called(name), {
        field,
        value: VALUES[field]?.[value],
        confidence,
        interaction,
        basis: 'heard',
      })
  }

  async join(): Promise<void> {
    const sue = await this.sue
    const { status, text } = await sue.post(`/v1/users/${this.called('u')}/aliases`, { alias: this.called('v') })
    expect(status, text).toBe(200)
  }

  async part(): Promise<void> {
    await (await this.sue).call('DELETE', `/v1/users/${this.called('u')}/aliases?alias=${this.called('v')}`)
  }

  async believed(): Promise<unknown> {
    return (await (await this.sue).model(this.called('u'))).beliefs
  }
}

let count = 0

const history = fc.array(deed, { minLength: 1, maxLength: 8 })

test('[ALI-9] law: joined and parted again, whatever was said before, meanwhile and after, believes as if never joined', async () => {
  const clock = new Clock()
  const worlds = [await World.start({ clock }), await World.start({ clock })] as const
  await fc.assert(
    fc.asyncProperty(history, history, history, async (before, meanwhile, after) => {
      const [joined, apart] = [new Pair(worlds[0]), new Pair(worlds[1])]
      for (const [phase, deeds] of [before, meanwhile, after].entries()) {
        if (phase === 1) await joined.join()
        if (phase === 2) await joined.part()
        for (const each of deeds) {
          clock.advance(each.wait)
          // An interaction under both names is one while they are joined.
          const apartNow = { ...each, interaction: `${each.interaction}-${each.name}` }
          for (const side of [joined, apart]) await side.does(apartNow)
        }
      }
      expect(await joined.believed()).toEqual(await apart.believed())
      clock.advance(3 * DAY)
      expect(await joined.believed()).toEqual(await apart.believed())
    }),
    { numRuns: 12 },
  )
}, 60_000)

test('[ALI-10] law: a joined model is the union of what is known under both names, also after a restart', async () => {
  const world = await World.start()
  const supervisor = desk.roles.get('supervisor')
  if (!supervisor) throw new Error('The desk has no supervisor.')
  await fc.assert(
    fc.asyncProperty(history, history, fc.boolean(), async (before, after, isRestarted) => {
      // People may take back what was said under any name of the account, visitors only under their own.
      const mine = (deeds: readonly Deed[]) => deeds.filter(({ kind, name }) => kind !== 'retract' || name === 'u')
      const side = new Pair(world)
      for (const each of mine(before)) await side.does(each)
      await side.join()
      for (const each of mine(after)) {
        world.clock.advance(each.wait)
        await side.does(each)
      }
      if (isRestarted) await world.restart()
      const sue = await side.sue
      const known = await Promise.all(['u', 'v'].map(name => sue.export(side.called(name))))
      const { beliefs, asOf } = await sue.model(side.called('u'))
      const union = new SelfModel(
        desk,
        known.flatMap(({ evidence }) => evidence),
      )
      expect(beliefs).toEqual(Object.fromEntries(view(union, scopeOf(supervisor), { time: asOf })))
    }),
    { numRuns: 12 },
  )
}, 60_000)
