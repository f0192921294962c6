import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connect, type Desk, type Replica, type ReplicaOptions } from '../../client/index.ts'
import { fileReplica } from '../../client/node.ts'
import { World } from '../server/support/world.ts'

async function deskOf(world: World, agent: string, role: string): Promise<Desk> {
  const desk = await connect({ url: world.url, token: await world.token(agent, role) })
  onTestFinished(() => desk.close({ within: 0 }))
  return desk
}

async function replicaOf(desk: Desk, options: ReplicaOptions = {}): Promise<Replica> {
  const replica = await desk.user('u').replica(options)
  onTestFinished(() => replica.close())
  return replica
}

function scratchFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'selfsame-replica-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'u.replica')
}

const beliefsOf = (replica: Replica) =>
  Object.fromEntries([...replica.entries()].map(([field, { pending: _, ...belief }]) => [field, belief.value]))

test('[REP-10] a replica reads locally what the server would answer, and hears of every change', async () => {
  const world = await World.start()
  const ann = await deskOf(world, 'ann', 'supervisor')
  await ann
    .user('u')
    .observe({ 'need.issue': 'refund_request', 'emotion.state': { value: 'frustrated', confidence: 0.8 } })
  const replica = await replicaOf(ann)
  const served = await ann.user('u').model()
  expect(replica.state).toEqual({ name: 'live' })
  expect(beliefsOf(replica)).toEqual(Object.fromEntries([...served].map(([field, { value }]) => [field, value])))
  const told: string[][] = []
  replica.onChange(fields => told.push([...fields]))
  await (await deskOf(world, 'bob', 'supervisor')).user('u').correct('emotion.state', 'calm')
  await vi.waitUntil(() => replica.get('emotion.state')?.value === 'calm')
  expect(told.flat()).toContain('emotion.state')
})

test('[REP-11] own words count at once, marked as pending, and resolve with their outcome', async () => {
  const world = await World.start()
  const bot = await deskOf(world, 'bot', 'triage')
  const replica = await replicaOf(bot)
  const written = replica.observe({ 'need.issue': 'refund_request' })
  expect(replica.get('need.issue')).toMatchObject({ value: 'refund_request', pending: true })
  expect(await written).toMatchObject([{ field: 'need.issue', status: 'admitted' }])
  await vi.waitUntil(() => replica.get('need.issue')?.pending === false)
  expect(replica.get('need.issue')).toMatchObject({ value: 'refund_request', evidence: 1 })
  await expect(replica.observe({ 'no.such': 1 })).rejects.toMatchObject({ code: 'field_unavailable' })
  expect(replica.waiting).toBe(0)
})

test('[REP-12] what is written while the server is away survives, and is admitted once when it is back', async () => {
  const world = await World.start()
  const bot = await deskOf(world, 'bot', 'triage')
  const keep = fileReplica(scratchFile())
  const replica = await bot.user('u').replica({ keep })
  await replica.observe({ 'need.issue': 'refund_request' })
  await world.stop()
  const left = replica.observe({ 'emotion.state': { value: 'frustrated', confidence: 0.7 } })
  left.catch(() => undefined)
  await vi.waitUntil(() => replica.state.name === 'offline')
  expect(replica.get('emotion.state')).toMatchObject({ value: 'frustrated', pending: true })
  await replica.close()
  await expect(left).rejects.toMatchObject({ code: 'disconnected' })
  await world.restart()
  const settled: unknown[] = []
  const again = await deskOf(world, 'bot', 'triage')
  const back = await replicaOf(again, { keep, onSettled: outcome => settled.push(outcome.status) })
  expect(back.get('need.issue')).toMatchObject({ value: 'refund_request' })
  await vi.waitUntil(() => back.waiting === 0, { timeout: 5_000 })
  expect(settled).toEqual(['admitted'])
  expect((await again.user('u').model()).get('emotion.state')).toMatchObject({ evidence: 1 })
})

test('[REP-80] a replica that was closed leaves no timer behind', async () => {
  const world = await World.start()
  const ann = await deskOf(world, 'ann', 'supervisor')
  const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
  const before = timers()
  const replicas = await Promise.all(Array.from({ length: 20 }, () => ann.user('u').replica()))
  expect(timers()).toBeGreaterThanOrEqual(before + replicas.length)
  for (const replica of replicas) await replica.close()
  await vi.waitUntil(() => timers() < before + replicas.length, { timeout: 5_000 })
})
