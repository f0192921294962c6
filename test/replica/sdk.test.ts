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

async function connectionsTo({ url }: World): Promise<string | undefined> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return /^selfsame_connections (\d+)$/m.exec(metrics)?.[1]
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
  const replicas = await Promise.all(
    Array.from({ length: 20 }, () => ann.user('u').replica({ keep: fileReplica(scratchFile()) })),
  )
  await Promise.all(replicas.map(replica => replica.observe({ 'need.issue': 'refund_request' })))
  // Each is about to keep what it heard. The server of the test has some timers of its own, which come and go.
  expect(timers()).toBeGreaterThanOrEqual(before + replicas.length)
  for (const replica of replicas) await replica.close()
  expect(timers()).toBeLessThan(before + replicas.length / 2)
})

test('[REP-81] a replica shares the connection of its desk: however many, no socket is opened and no warning given', async () => {
  const world = await World.start()
  const ann = await deskOf(world, 'ann', 'supervisor')
  await ann.user('u').observe({ 'need.issue': 'refund_request' })
  const warnings: unknown[] = []
  const warned = (warning: Error) => warnings.push(warning.name)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  const before = await connectionsTo(world)
  expect(before).toBe('1')
  const replicas = await Promise.all(Array.from({ length: 40 }, () => replicaOf(ann)))
  expect(await connectionsTo(world)).toBe(before)
  for (const replica of replicas) expect(replica.get('need.issue')).toMatchObject({ value: 'refund_request' })
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
})

test('[REP-82] what is said twice under one id while it waits has one outcome, told to both', async () => {
  const world = await World.start()
  const bot = await deskOf(world, 'bot', 'triage')
  const replica = await replicaOf(bot)
  const said = [{ field: 'need.issue', value: 'refund_request', id: 'once' }] as const
  const [first, second] = await Promise.all([replica.observe(said), replica.observe(said)])
  expect([first, second]).toMatchObject([[{ status: 'admitted' }], [{ status: 'admitted' }]])
  expect(replica.get('need.issue')).toMatchObject({ evidence: 1, pending: false })
})

test('[REP-83] closing the desk ends its replicas; what they hold can still be read', async () => {
  const world = await World.start()
  const bot = await deskOf(world, 'bot', 'triage')
  const replica = await replicaOf(bot)
  await replica.observe({ 'need.issue': 'refund_request' })
  await bot.close()
  expect(replica.state).toMatchObject({ name: 'ended', error: { code: 'disconnected' } })
  expect(replica.get('need.issue')).toMatchObject({ value: 'refund_request' })
  await expect(replica.observe({ 'need.issue': 'login_failed' })).rejects.toMatchObject({ code: 'disconnected' })
})

test('[REP-84] what was kept by another version of the client is refused, not overwritten', async () => {
  const world = await World.start()
  const bot = await deskOf(world, 'bot', 'triage')
  const keep = { load: async () => ({ agent: 'bot', user: 'u', document: Uint8Array.of(0, 0) }), save: vi.fn() }
  await expect(bot.user('u').replica({ keep })).rejects.toMatchObject({ code: 'bad_request' })
  expect(keep.save).not.toHaveBeenCalled()
})
