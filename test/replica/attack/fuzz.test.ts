import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { Malformed } from '../../../server/replica/bytes.ts'
import { readInbound } from '../../../server/replica/inbound.ts'
import { readMessage } from '../../../server/replica/message.ts'
import { itemIn } from '../../../server/replica/outbox.ts'
import { readStateVector } from '../../../server/replica/state-vector.ts'
import { World } from '../../server/support/world.ts'
import { BEGIN } from './forgery.ts'
import { Intruder } from './intruder.ts'
import { Chance, mutant } from './mutant.ts'

const isLong = process.env['SELFSAME_LONG'] === '1'
const READ = isLong ? 1_000_000 : 5_000
const SENT = isLong ? 20_000 : 1_000
const SEED = 20_260_705
const MAX_GROWTH = 64 * 1_048_576
const MAX_MS = 250

/** All that an unmodified client says in a session in which it does everything it can. */
async function recorded(world: World): Promise<Buffer[]> {
  const frames: Buffer[] = []
  const token = await world.token('author', 'triage')
  class Recording extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: { authorization: `Bearer ${token}` } })
    }
    override send(data: Uint8Array): void {
      frames.push(Buffer.from(data))
      super.send(data)
    }
  }
  const doc = new Y.Doc()
  const provider = new WebsocketProvider(`${world.url.replace('http', 'ws')}/v1/replica`, 'u', doc, {
    WebSocketPolyfill: Recording as unknown as typeof globalThis.WebSocket,
    disableBc: true,
  })
  onTestFinished(() => provider.destroy())
  await vi.waitUntil(() => provider.synced, { timeout: 5_000 })
  const outbox = doc.getMap('outbox')
  provider.awareness.setLocalState({ typing: true, at: [1, 2.5, null] })
  outbox.set('word', { field: 'need.issue', value: 'refund_request', confidence: 0.9 })
  outbox.set('record', { field: 'technical.environment', value: { os: 'linux', tabs: [1, -2, 3.5], big: 2 ** 40 } })
  await vi.waitUntil(() => doc.getMap('receipts').size === 2, { timeout: 5_000 })
  provider.disconnect()
  doc.transact(() => {
    for (let i = 0; i < 5; i++) outbox.set(`off-${i}`, { field: 'emotion.state', value: 'calm', not: i % 2 === 0 })
    outbox.delete('off-1')
    doc.getText('text').insert(0, 'text')
    doc.getArray('list').push([new Y.Map([['a', 1]]), new Uint8Array([1, 2])])
  })
  provider.connect()
  await vi.waitUntil(() => doc.getMap('receipts').size >= 4, { timeout: 5_000 })
  provider.destroy()
  return frames
}

/** As the server reads a message, up to what would be submitted. */
function read(frame: Uint8Array): void {
  const message = readMessage(frame)
  if (message.type === 'has') readStateVector(message.stateVector)
  if (message.type === 'update') for (const entry of readInbound(message.update).entries) itemIn(entry)
}

/** A mutant that does not end the connection at once. */
function readable(frames: readonly Buffer[], chance: Chance): Buffer {
  for (;;) {
    const frame = mutant(frames, chance)
    if (isRead(frame)) return frame
  }
}

function isRead(frame: Buffer): boolean {
  try {
    read(frame)
    return true
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

test('[REP-49] genuine frames that were tampered with are read, or are malformed: no other fault, no hang, no growth', async () => {
  const frames = await recorded(await World.start())
  for (const frame of frames) read(frame)
  const chance = new Chance(SEED)
  const before = process.memoryUsage()
  let malformed = 0
  let slowest = 0
  for (let i = 0; i < READ; i++) {
    const frame = mutant(frames, chance)
    const since = performance.now()
    if (!isRead(frame)) malformed++
    slowest = Math.max(slowest, performance.now() - since)
    if (i % 10_000 === 0) await new Promise(setImmediate)
  }
  const after = process.memoryUsage()
  if (isLong) console.info({ frames: READ, malformed, slowest, grown: after.heapUsed - before.heapUsed })
  expect(malformed).toBeGreaterThan(READ / 10)
  expect(malformed).toBeLessThan(READ)
  expect(slowest).toBeLessThan(MAX_MS)
  expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(MAX_GROWTH)
})

test('[REP-49] sent to a server they change nothing but what the sender had admitted', async () => {
  const world = await World.start({ limits: { requestsPerSecond: 1e6, requestBurst: 1e6 } })
  const frames = await recorded(world)
  const honest = await world.as('honest', 'triage')
  await honest.observe('u', { field: 'need.issue', value: 'refund_request' }, { field: 'need.goal', value: 'money' })
  const ann = await world.as('ann', 'supervisor')
  const before = (await ann.export('u')).evidence
  const witness = await (await Intruder.opened(world.url, 'u', await world.token('witness', 'triage'))).synced()
  const token = await world.token('mallory', 'triage')
  const chance = new Chance(SEED + 1)
  const codes = new Map<number, number>()
  for (let sent = 0; sent < SENT; ) {
    const intruder = await Intruder.opened(world.url, 'u', token)
    intruder.send(BEGIN)
    for (let i = 1; i < 25; i++, sent++) intruder.send(readable(frames, chance))
    intruder.send(mutant(frames, chance))
    sent++
    await intruder.heardOut()
    if (intruder.isOpen) intruder.socket.close()
    const code = await intruder.closed
    codes.set(code, (codes.get(code) ?? 0) + 1)
  }
  if (isLong) console.info({ sent: SENT, codes: Object.fromEntries(codes) })
  expect([...codes.keys()].filter(code => ![1005, 4400, 4409].includes(code))).toEqual([])
  const after = (await ann.export('u')).evidence
  expect(after.filter(({ id }) => before.some(kept => kept.id === id))).toEqual(before)
  const added = after.filter(({ id }) => !before.some(kept => kept.id === id))
  expect(added.filter(piece => !('agent' in piece) || piece.agent !== 'mallory')).toEqual([])
  await witness.heardOut()
  const fresh = await (await Intruder.opened(world.url, 'u', await world.token('fresh', 'triage'))).synced()
  expect(witness.evidence).toEqual(fresh.evidence)
})
