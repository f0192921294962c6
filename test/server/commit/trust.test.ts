import { expect, test } from 'vitest'
import { MINUTE } from '../support/clock.ts'
import { vault } from '../support/vault.ts'
import { World } from '../support/world.ts'

/** An agent is wrong about six users, another right, and a person says so each time. */
async function settled(world: World): Promise<void> {
  const [wrong, right, ann] = [
    await world.as('wrong', 'keeper'),
    await world.as('right', 'keeper'),
    await world.as('ann', 'person'),
  ]
  for (let i = 0; i < 6; i++) {
    await wrong.observe(`u${i}`, { field: 'open.mood', value: 'angry', confidence: 0.9 })
    await right.observe(`u${i}`, { field: 'open.mood', value: 'calm', confidence: 0.9 })
    world.clock.advance(MINUTE)
    await ann.correct(`u${i}`, { field: 'open.mood', value: 'calm' })
    world.clock.advance(MINUTE)
  }
}

/** What each is believed of a user of whom nobody else has spoken. */
async function believed(world: World, agent: string, user: string): Promise<number> {
  const caller = await world.as(agent, 'keeper')
  await caller.observe(user, { field: 'open.mood', value: 'sad', confidence: 0.9 })
  return (await caller.belief(user, 'open.mood')).confidence
}

test('[COMMIT-20] an agent that people proved wrong counts less afterwards, for every user and after a restart', async () => {
  const world = await World.start({ schema: vault })
  expect(await believed(world, 'wrong', 'before')).toBeCloseTo(0.9)
  await settled(world)
  const after = await believed(world, 'wrong', 'after')
  expect(after).toBeLessThan(0.6)
  expect(await believed(world, 'right', 'right')).toBeCloseTo(0.9)
  expect(await believed(world, 'new', 'new')).toBeCloseTo(0.9)
  await world.restart()
  expect(await believed(world, 'wrong', 'restarted')).toBeCloseTo(after)
})

test('[COMMIT-21] trust is stamped at admission: earlier words keep theirs', async () => {
  const world = await World.start({ schema: vault })
  await believed(world, 'wrong', 'early')
  await settled(world)
  const reader = await world.as('reader', 'reader')
  expect((await reader.explain('early', 'open.mood')).words[0]?.trust).toBe(1)
  await believed(world, 'wrong', 'late')
  expect((await reader.explain('late', 'open.mood')).words[0]?.trust).toBeLessThan(0.6)
})

test("[COMMIT-22] a person's trust is that of their role, whoever contradicts them", async () => {
  const world = await World.start({ schema: vault })
  const [ann, bob] = [await world.as('ann', 'person'), await world.as('bob', 'person')]
  for (let i = 0; i < 6; i++) {
    await ann.correct(`u${i}`, { field: 'open.mood', value: 'angry' })
    world.clock.advance(MINUTE)
    await bob.correct(`u${i}`, { field: 'open.mood', value: 'calm' })
  }
  await ann.correct('w', { field: 'open.mood', value: 'sad' })
  expect((await ann.explain('w', 'open.mood')).words[0]?.trust).toBe(0.9)
})

test('[COMMIT-23] an agent that takes back what proved wrong does not mend its record', async () => {
  const world = await World.start({ schema: vault })
  await settled(world)
  const wrong = await world.as('wrong', 'keeper')
  for (let i = 0; i < 6; i++) await wrong.retract(`u${i}`, { field: 'open.mood' })
  expect(await believed(world, 'wrong', 'after')).toBeLessThan(0.6)
})
