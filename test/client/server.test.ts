import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { connectIn } from '../../client/desk.ts'
import { environmentOf } from '../../client/environment.ts'
import { type Change, connect } from '../../client/index.ts'
import { browserSocket } from '../../client/socket-browser.ts'
import { desk as sample } from '../../model/sample/desk.ts'
import { type Service, start } from '../../server/index.ts'

type Sample = (typeof sample)['definition']

async function service(data = folder(), port = 0): Promise<Service> {
  const running = await start({ port, data, schema: sample })
  onTestFinished(() => running.close())
  return running
}

function folder(): string {
  const data = mkdtempSync(join(tmpdir(), 'selfsame-sdk-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  return data
}

async function deskOf(server: Service, agent: string, role: string) {
  const desk = await connect({ url: server.url, token: () => server.token(agent, role), model: sample })
  onTestFinished(() => desk.close({ within: 0 }))
  return desk
}

test('[SDK-37] the whole way: agents observe, a person corrects, each reads what it may', async () => {
  const server = await service()
  const triage = await deskOf(server, 'ava', 'triage')
  const human = await deskOf(server, 'pat', 'human')
  const billing = await deskOf(server, 'bill', 'billing')
  expect(triage.agent).toBe('ava')
  const user = triage.user('u_42')
  const written = await user.observe(
    {
      'need.issue': 'unauthorized_recurring_charge',
      'emotion.state': { value: 'frustrated', confidence: 0.88, basis: 'inferred' },
      'technical.tried': ['restart', 'reinstall'],
      'technical.environment': { value: { os: 'mac' } },
    },
    { interaction: 'call-1' },
  )
  expect(written.outcomes.map(({ field, status }) => [field, status])).toEqual([
    ['need.issue', 'admitted'],
    ['emotion.state', 'admitted'],
    ['technical.tried', 'admitted'],
    ['technical.environment', 'admitted'],
  ])
  const model = await user.model()
  expect(model.get('emotion.state')).toMatchObject({ value: 'frustrated', status: 'fresh' })
  expect(model.get('emotion.state')?.confidence).toBeCloseTo(0.88, 3)
  expect(model.get('technical.tried')?.value).toEqual(['reinstall', 'restart'])

  await human.user('u_42').correct('emotion.state', 'calm', { why: 'I asked' })
  expect((await user.model()).get('emotion.state')?.value).toBe('calm')
  await human.user('u_42').deny('need.issue', 'unauthorized_recurring_charge')
  expect((await user.model()).get('need.issue')).toMatchObject({
    value: null,
    denied: ['unauthorized_recurring_charge'],
  })
  expect((await billing.user('u_42').model()).has('emotion.state')).toBe(false)

  const explained = await user.explain('emotion.state')
  expect(explained.words.map(({ agent, standing }) => [agent, standing])).toEqual([
    ['ava', 'void'],
    ['pat', 'counted'],
  ])
  expect(await user.context({ tokens: 400 })).toContain('calm')
  expect(await user.context({ tokens: 400, format: 'json' })).toMatchObject({ format: 'json', context: {} })
  await user.retract({ interaction: 'call-1' })
  expect((await user.model()).has('technical.tried')).toBe(false)
  const exported = await human.user('u_42').export()
  expect(exported.evidence.map(({ type }) => type)).toContain('retraction')
})

test('[SDK-37] refusals of the server arrive with their codes', async () => {
  const server = await service()
  const triage = await deskOf(server, 'ava', 'triage')
  const user = triage.user('u_42')
  await expect(user.observe({ 'billing.plan': 'pro', 'need.issue': 'x' })).rejects.toMatchObject({
    code: 'field_unavailable',
    outcomes: [{ status: 'refused' }, { status: 'admitted' }],
  })
  await expect(user.observe({ 'billing.plan': 'pro', 'need.goal': 'x' }, { atomic: true })).rejects.toMatchObject({
    code: 'field_unavailable',
    outcomes: [{ status: 'refused' }, { status: 'refused', error: { code: 'atomic_refused' } }],
  })
  await expect(user.correct('need.issue', 'y')).rejects.toMatchObject({ code: 'forbidden' })
  await expect(triage.user('not an id').model()).rejects.toMatchObject({ code: 'bad_request' })
  await expect(user.export()).rejects.toMatchObject({ code: 'forbidden' })
  await expect(connect({ url: server.url, token: 'nonsense' })).rejects.toMatchObject({ code: 'unauthorized' })
})

test('[SDK-37] a watch sees what others write', async () => {
  const server = await service()
  const triage = await deskOf(server, 'ava', 'triage')
  const human = await deskOf(server, 'pat', 'human')
  const told: Change<Sample>[] = []
  const stop = human.user('u_42').watch(['emotion.*'], change => told.push(change))
  await triage.user('u_42').observe({ 'emotion.state': 'angry', 'need.issue': 'x' })
  await expect.poll(() => told.at(-1)?.beliefs['emotion.state']?.value).toBe('angry')
  expect(told.flatMap(change => Object.keys(change.beliefs))).not.toContain('need.issue')
  stop()
})

test('[SDK-37] work goes on when the server is started anew, writes and watches included', async () => {
  const data = folder()
  const first = await start({ port: 0, data, schema: sample })
  const token = await first.token('ava', 'triage')
  const desk = await connect({ url: first.url, token, model: sample })
  onTestFinished(() => desk.close({ within: 0 }))
  const user = desk.user('u_42')
  const told: Change<Sample>[] = []
  user.watch(['need.*'], change => told.push(change))
  await user.observe({ 'need.issue': 'before' })
  await first.close()
  const offline = user.observe({ 'need.goal': 'said while it was down' })
  await service(data, Number(new URL(first.url).port))
  await offline
  const model = await user.model()
  expect(model.get('need.issue')?.value).toBe('before')
  expect(model.get('need.goal')?.value).toBe('said while it was down')
  await expect.poll(() => told.at(-1)?.beliefs['need.goal']?.value).toBe('said while it was down')
})

test('[SDK-33] the server takes the ticket of a browser, again after a lost connection', async () => {
  const data = folder()
  const first = await start({ port: 0, data, schema: sample })
  const environment = environmentOf(browserSocket({ WebSocket, fetch }))
  const desk = await connectIn(environment, { url: first.url, token: await first.token('ava', 'triage') })
  onTestFinished(() => desk.close({ within: 0 }))
  await desk.user('u_42').observe({ 'need.issue': 'from a page' })
  await first.close()
  await service(data, Number(new URL(first.url).port))
  expect((await desk.user('u_42').model()).get('need.issue')?.value).toBe('from a page')
  await expect(connectIn(environment, { url: first.url, token: 'nonsense' })).rejects.toMatchObject({
    code: 'unauthorized',
  })
})
