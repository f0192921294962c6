import { expect, test } from 'vitest'
import { codes } from '../support/caller.ts'
import { MINUTE } from '../support/clock.ts'
import { World } from '../support/world.ts'

const SAID = { field: 'need.issue', value: 'refund', confidence: 0.6, interaction: 'chat' }

async function desk() {
  const world = await World.start()
  return { world, bot: await world.as('bot', 'triage'), ann: await world.as('ann', 'human') }
}

test('[COMMIT-30] an interaction that is silent for the idle time speaks in a new episode, also after a restart', async () => {
  const { world, bot, ann } = await desk()
  await bot.observe('u', SAID)
  world.clock.advance(30 * MINUTE)
  await bot.observe('u', SAID)
  const once = await ann.belief('u', 'need.issue')
  expect(once.evidence).toBe(1)
  world.clock.advance(30 * MINUTE + 1)
  await bot.observe('u', SAID)
  expect((await ann.belief('u', 'need.issue')).confidence).toBeGreaterThan(once.confidence)
  await world.restart()
  world.clock.advance(20 * MINUTE)
  await (await world.as('bot', 'triage')).observe('u', SAID)
  const { evidence } = await (await world.as('ann', 'human')).export('u')
  const episodes = evidence.flatMap(piece => (piece.type === 'word' ? [piece.episode] : []))
  expect(new Set(episodes).size).toBe(2)
  expect(episodes[0]).toBe(episodes[1])
  expect(episodes[2]).toBe(episodes[3])
})

test('[COMMIT-31] what is refused keeps no episode open and opens none', async () => {
  const { world, bot, ann } = await desk()
  await bot.observe('u', SAID)
  world.clock.advance(20 * MINUTE)
  expect(codes(await bot.observe('u', { ...SAID, field: 'no.such' }))).toEqual(['field_unavailable'])
  expect(codes(await bot.atomic('u', SAID, { ...SAID, field: 'no.such' }))).toEqual([
    'atomic_refused',
    'field_unavailable',
  ])
  world.clock.advance(20 * MINUTE)
  await bot.observe('u', SAID)
  expect((await ann.belief('u', 'need.issue')).evidence).toBe(2)
})

test('[COMMIT-32] words of one batch and interaction share an episode, another interaction has its own', async () => {
  const { bot, ann } = await desk()
  await bot.observe('u', SAID, { ...SAID, field: 'need.goal' }, { ...SAID, interaction: 'call' })
  const { evidence } = await ann.export('u')
  const [a, b, c] = evidence.flatMap(piece => (piece.type === 'word' ? [piece.episode] : []))
  expect(a).toBe(b)
  expect(c).not.toBe(a)
})
