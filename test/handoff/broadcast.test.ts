import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Desk } from '../../client/desk.ts'
import type { Work } from '../../client/work.ts'
import { Agents } from '../server/handoff/agents.ts'
import { Program, scratch } from '../server/process/program.ts'
import { Serving } from '../server/process/serving.ts'
import { MINUTE, SECOND } from '../server/support/clock.ts'
import { RawSocket } from '../server/support/raw-socket.ts'
import { World } from '../server/support/world.ts'
import { deskOf, offered } from './desk.ts'

const RECEIVER = fileURLToPath(new URL('./receiver.mjs', import.meta.url))

/** Acts by one observation under an id of its own, and completes. */
async function act(work: Work, agent: string): Promise<void> {
  await work.user.observe([{ field: 'need.issue', value: `by-${agent}`, id: `${work.id}-act` }])
  await work.complete({ by: agent })
}

async function accepting(server: Serving, agent: string): Promise<Desk> {
  const desk = await deskOf(server, agent, 'tech')
  desk.onOffer(async offer => act(await offer.accept({ lease: 30_000 }), agent))
  return desk
}

/** Sends its accept and is gone before it hears the answer; then does it all again under the same ids. */
async function losing(server: Serving, agent: string): Promise<void> {
  const open = async () => RawSocket.open(server.url, { token: await server.token(agent, 'tech') })
  const first = await open()
  const frame = await first.frame(each => 'offer' in each)
  const { id } = frame['offer'] as { id: string }
  const held = { handoff: id, epoch: 1 }
  first.send('accept', { handoff: id, request: agent, lease: 60_000 })
  first.drop()
  const observations = [{ field: 'need.issue', value: `by-${agent}`, id: `${id}-act` }]
  for (const lost of ['observe', 'complete', '']) {
    const socket = await open()
    expect(await socket.ask('accept', { handoff: id, request: agent })).toHaveProperty('ok.handoff.epoch', 1)
    if (lost === 'observe') socket.send('observe', { user: 'u_1', observations, under: held })
    else await socket.ask('observe', { user: 'u_1', observations, under: held })
    if (lost === 'complete') socket.send('complete', { ...held, result: { by: agent } })
    socket.drop()
    if (lost === 'complete') break
  }
  const last = await open()
  expect(await last.ask('complete', { ...held, result: { by: agent } })).toHaveProperty('ok.state', 'completed')
  last.drop()
}

const DEATHS = ['accepted', 'acted', 'done', 'never', 'never']

async function inProcess(server: Serving, agent: string, dies: string): Promise<void> {
  const token = await server.token(agent, 'tech')
  const program = new Program(process.execPath, [RECEIVER, JSON.stringify({ url: server.url, token, dies })])
  await program.line(/^ready$/)
  if (dies !== 'never') program.ended.then(() => inProcess(server, agent, 'never'))
}

test('[FLEET-10] a broadcast to 50 with lost answers and crashes: each gets it, each acts once', async () => {
  const server = await Serving.serve(scratch())
  const names = Array.from({ length: 50 }, (_, i) => `r${i}`)
  const [killed, deaf, well] = [names.slice(0, 5), names.slice(5, 20), names.slice(20)]
  await Promise.all(killed.map((agent, i) => inProcess(server, agent, DEATHS[i] ?? 'never')))
  await Promise.all(well.map(agent => accepting(server, agent)))
  const sender = await deskOf(server, 'ann', 'triage')
  const work = await sender.user('u_1').start({ intent: 'The door is open.', lease: 5 * MINUTE })
  const to = names.map(agent => ({ role: 'tech', agent }))
  const broadcast = await work.broadcast({ to, reason: 'look at your part', deadline: 2 * MINUTE, acknowledge: SECOND })
  await Promise.all(deaf.map(agent => losing(server, agent)))
  const ended = await broadcast.settled()
  expect(ended.receivers.filter(({ state }) => state !== 'completed')).toEqual([])
  expect(ended).toMatchObject({ state: 'ended', acted: 50 })
  const { words } = await sender.user('u_1').explain('need.issue')
  const acts = words.filter(({ agent }) => names.includes(agent)).map(({ agent }) => agent)
  expect(acts.sort()).toEqual([...names].sort())
  for (const { handoff } of ended.receivers) {
    const seen = await sender.handoff(handoff).inspect()
    const completions = 'events' in seen ? seen.events.filter(({ what }) => what === 'completed') : []
    expect(completions).toHaveLength(1)
  }
  expect(work.isHeld).toBe(true)
}, 150_000)

test('[FLEET-11] a broadcast ends at its deadline with who did not act, and each receiver sees what its own role may read', async () => {
  const world = await World.start({ limits: { handoffCheck: 5 } })
  const [ann, ben, tim] = [
    await deskOf(world, 'ann', 'triage'),
    await deskOf(world, 'ben', 'billing'),
    await deskOf(world, 'tim', 'tech'),
  ]
  await ann.user('u_1').observe({ 'need.issue': 'charge', 'emotion.state': 'frustrated' })
  const work = await ann.user('u_1').start({ intent: 'Help me.', lease: 5 * MINUTE })
  const to = ['billing', { role: 'tech', agent: 'tim' }, { role: 'tech', agent: 'nobody' }]
  const broadcast = await work.broadcast({ to, reason: 'look', deadline: MINUTE })
  const [bens, tims] = await Promise.all([offered(ben), offered(tim)])
  const [billing] = [await bens.accept(), await tims.decline('not mine')]
  expect(billing.model.get('need.issue')?.value).toBe('charge')
  expect(billing.model.get('emotion.state')).toBeUndefined()
  expect(billing.verifies()).toBe(true)
  await expect(billing.handoff({ to: 'tech', reason: 'x' })).rejects.toMatchObject({ code: 'bad_state' })
  await billing.complete()
  expect(await broadcast.state()).toMatchObject({ state: 'open', acted: 1 })
  world.clock.advance(MINUTE)
  expect(await broadcast.settled()).toMatchObject({
    state: 'ended',
    acted: 1,
    receivers: [
      { to: { role: 'billing', agent: 'ben' }, state: 'completed' },
      { to: { agent: 'tim' }, state: 'failed', why: 'declined' },
      { to: { agent: 'nobody' }, state: 'failed', why: 'expired' },
    ],
  })
  expect((await ann.handoff(work.id).state()).state).toBe('accepted')
})

test('[FLEET-12] a broadcast that is sent again is the same one, before and after a restart; several receivers need its mode', async () => {
  const agents = await Agents.start()
  const started = await agents.start('ann:triage', 'u_1')
  const to = [{ role: 'tech', agent: 'tim' }, 'billing']
  const held = { handoff: started.body.handoff.id, epoch: 1 }
  const given = { ...held, to, reason: 'look', mode: 'broadcast', request: 'one' }
  const post = async (body: object) => (await agents.post('ann:triage', '/v1/handoffs', body)).body
  const first = await post(given)
  const receivers = [{ state: 'offered' }, { to: { role: 'billing' } }]
  expect(first).toMatchObject({ mode: 'broadcast', state: 'open', receivers })
  expect(await post(given)).toEqual(first)
  expect((await post({ ...given, mode: 'direct' })).error.code).toBe('bad_request')
  expect((await post({ ...given, request: 'two', alternatives: ['human'] })).error.code).toBe('bad_request')
  await agents.world.restart()
  expect(await post(given)).toEqual(first)
  expect((await agents.get('ann:triage', `/v1/handoffs/${first.id}`)).body).toEqual(first)
  const stranger = await agents.get('u_2:subject', `/v1/handoffs/${first.id}`)
  expect(stranger.body.error.code).toBe('handoff_unavailable')
})
