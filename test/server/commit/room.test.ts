import { expect, test } from 'vitest'
import { z } from 'zod'
import { desk } from '../../../model/sample/desk.ts'
import { scopeOf } from '../../../model/scope.ts'
import { SelfModel } from '../../../model/self-model.ts'
import { view } from '../../../model/view.ts'
import { columns, outcomes } from '../support/answer.ts'
import { statuses } from '../support/caller.ts'
import { HOUR, MINUTE } from '../support/clock.ts'
import { World } from '../support/world.ts'

const change = z.looseObject({ watch: z.number(), user: z.string(), beliefs: z.record(z.string(), z.unknown()) })

test('[ROOM-30] compaction leaves beliefs as they are while others write and read', async () => {
  const world = await World.start({ limits: { wordsPerFold: 10_000, evidencePerUser: 1_900 } })
  const [bot, tom, ann] = [
    await world.as('bot', 'triage'),
    await world.as('tom', 'tech'),
    await world.as('ann', 'human'),
  ]
  const many = (from: number, count: number, field: string) =>
    Array.from({ length: count }, (_, i) => ({
      field,
      value: ['refund', 'login_fails', 'late_parcel'][(from + i) % 3],
      confidence: 0.1 + ((from + i) % 7) / 10,
      interaction: `i${(from + i) % 50}`,
    }))
  for (let i = 0; i < 8; i++) {
    await (i % 2 ? bot : tom).observe('u', ...many(i * 120, 120, 'need.issue'))
    world.clock.advance(40 * MINUTE)
  }
  await ann.correct('u', { field: 'need.urgency', value: 'high' })
  world.clock.advance(HOUR)
  const uncompacted = (await ann.export('u')).evidence
  expect(uncompacted.every(({ type }) => type === 'word')).toBe(true)
  const before = (await ann.model('u')).beliefs
  const [writes, reads] = [
    Array.from({ length: 30 }, (_, i) => bot.observe('u', ...many(i, 20, 'technical.product'))),
    Array.from({ length: 60 }, () => ann.model('u')),
  ]
  for (const { beliefs } of await Promise.all(reads)) {
    expect(beliefs['need.issue']?.confidence).toBeCloseTo(before['need.issue']?.confidence ?? 0, 12)
    expect(beliefs['need.urgency']).toEqual(before['need.urgency'])
  }
  for (const answer of await Promise.all(writes)) expect(new Set(statuses(answer))).toEqual(new Set(['admitted']))
  const compacted = (await ann.export('u')).evidence
  expect(compacted.some(({ type }) => type === 'pack')).toBe(true)
  expect(compacted.length).toBeLessThan(uncompacted.length)
  // What would be believed had nothing been compacted.
  const whole = new SelfModel(desk, [...uncompacted, ...compacted.filter(({ type }) => type === 'word')])
  const human = desk.roles.get('human')
  if (!human) throw new Error('The desk has no people.')
  for (const restart of [false, true]) {
    world.clock.advance(HOUR)
    if (restart) await world.restart()
    const { beliefs, asOf } = await (await world.as('ann', 'human')).model('u')
    for (const [field, belief] of view(whole, scopeOf(human), { time: asOf })) {
      expect(beliefs[field]?.value).toEqual(belief.value)
      expect(beliefs[field]?.confidence).toBeCloseTo(belief.confidence, 9)
      expect(beliefs[field]?.contested).toBe(belief.contested)
    }
  }
})

test('[ROOM-31] a room in use is never dropped: with room for none, every write is kept, told and counted once', async () => {
  const world = await World.start({ limits: { idleRoomBytes: 1 } })
  const users = Array.from({ length: 12 }, (_, i) => `u${i}`)
  const [watcher, writer] = [await world.socket('eye', 'triage'), await world.socket('bot', 'triage')]
  for (const user of users) await watcher.get(columns, 'watch', { user, fields: ['need.**'] })
  const bots = await Promise.all(['a', 'b', 'c'].map(agent => world.as(agent, 'triage')))
  const goal = (name: string) => ({ field: 'need.goal', value: name, interaction: name, id: name })
  await Promise.all(
    users.flatMap(user => [
      ...bots.flatMap((bot, b) => [0, 1, 2].map(i => bot.observe(user, goal(`${b}-${i}`), goal(`${b}-${i}`)))),
      ...[0, 1, 2].map(i => writer.get(outcomes, 'observe', { user, observations: [goal(`s-${i}`)] })),
    ]),
  )
  for (const user of users) {
    const { words } = await (await world.as('ann', 'human')).explain(user, 'need.goal')
    expect(words).toHaveLength(12)
    const last = words.at(-1)?.value
    const told = await watcher.frame(frame => {
      const read = change.safeParse(frame)
      return read.success && read.data.user === user && JSON.stringify(read.data.beliefs).includes(`"${last}"`)
    })
    expect(told).toMatchObject({ user })
  }
})

test('[ROOM-32] what is not held is let go: rooms in memory stay within their bytes', async () => {
  const world = await World.start({ limits: { idleRoomBytes: 10_000 } })
  const bot = await world.as('bot', 'triage')
  for (let i = 0; i < 30; i++) await bot.observe(`u${i}`, { field: 'need.issue', value: 'refund' })
  const rooms = /^selfsame_rooms (\d+)$/m.exec((await bot.get('/metrics')).text)?.[1]
  expect(Number(rooms)).toBeLessThanOrEqual(4)
  expect(Number(rooms)).toBeGreaterThan(0)
  expect((await bot.belief('u3', 'need.issue')).value).toBe('refund')
})

test('[ROOM-33] nobody is kept from a user by a reader of one that does not exist, and reading makes none', async () => {
  const world = await World.start()
  const bot = await world.as('bot', 'triage')
  expect((await bot.model('nobody')).beliefs).toEqual({})
  expect((await bot.explain('nobody', 'need.issue')).words).toEqual([])
  await bot.observe('u', { field: 'need.issue', value: 'refund' })
  await world.stop()
  const { Archive } = await import('../../../server/store/archive.ts')
  const archive = await Archive.open(world.data)
  expect(archive.users().users).toEqual(['u'])
  await archive.close()
})
