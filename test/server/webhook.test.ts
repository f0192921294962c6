import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook as Verifier } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { type Pace, Webhook, type WebhookEvent } from '../../server/webhook.ts'
import { webhookSecret } from '../../server/webhook-secret.ts'
import { Receiver } from './support/receiver.ts'

const SECRET = Buffer.alloc(32, 7)
const QUICK: Partial<Pace> = { firstWait: 2, longestWait: 8, answerDeadline: 2_000 }

interface Lost {
  readonly id: string
  readonly why: string
}

/** A webhook to an address, and what it gave up. */
function sender(url: URL, pace: Partial<Pace> = {}) {
  const lost: Lost[] = []
  const waiting: (() => void)[] = []
  const onLost = ({ id }: WebhookEvent, why: string) => {
    lost.push({ id, why })
    for (const wake of waiting.splice(0)) wake()
  }
  const webhook = new Webhook({ url, secret: SECRET, onLost, pace: { ...QUICK, ...pace } })
  onTestFinished(() => webhook.close())
  const losing = async (count: number): Promise<readonly Lost[]> => {
    while (lost.length < count) await new Promise<void>(resolve => waiting.push(resolve))
    return lost
  }
  return { webhook, lost, losing }
}

const event = (id: string): WebhookEvent => ({ id, type: 'thing.happened', data: { of: id } })

const headersOf = (headers: object) => headers as Record<string, string>

test('[HOOK-1] an event is a POST that the libraries of standardwebhooks.com verify, and nothing in it can be changed', async () => {
  const receiver = await Receiver.start()
  sender(receiver.url).webhook.send(event('e_1'))
  const [received] = await receiver.count(1)
  const verifier = new Verifier(SECRET.toString('base64'))
  const { headers, body } = received ?? { headers: {}, body: '' }
  expect(verifier.verify(body, headersOf(headers))).toEqual({
    type: 'thing.happened',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    data: { of: 'e_1' },
  })
  expect(headers).toMatchObject({ 'webhook-id': 'e_1', 'content-type': 'application/json' })
  expect(() => verifier.verify(body.replace('e_1', 'e_2'), headersOf(headers))).toThrow()
  expect(() => verifier.verify(body, { ...headersOf(headers), 'webhook-id': 'e_2' })).toThrow()
  const earlier = String(Number(headers['webhook-timestamp']) - 1)
  expect(() => verifier.verify(body, { ...headersOf(headers), 'webhook-timestamp': earlier })).toThrow()
  expect(() => new Verifier(Buffer.alloc(32, 8).toString('base64')).verify(body, headersOf(headers))).toThrow()
})

test('[HOOK-2] what may pass is sent again under the same id until it is taken', async () => {
  const receiver = await Receiver.start(500, 503, 429, 408, 'silence', 204)
  const { webhook, lost } = sender(receiver.url, { answerDeadline: 200 })
  webhook.send(event('e_1'))
  await receiver.count(6)
  webhook.send(event('e_2'))
  await receiver.count(7)
  expect(receiver.ids).toEqual(['e_1', 'e_1', 'e_1', 'e_1', 'e_1', 'e_1', 'e_2'])
  expect(lost).toEqual([])
})

test('[HOOK-2] it is sent so many times and no more, and then reported as lost', async () => {
  const receiver = await Receiver.start(500)
  const { webhook, losing } = sender(receiver.url, { attempts: 3 })
  webhook.send(event('e_1'))
  expect(await losing(1)).toEqual([{ id: 'e_1', why: 'answered 500, 3 times' }])
  expect(receiver.received).toHaveLength(3)
})

test('[HOOK-2] an address where nobody listens is tried as often, and named with what the network says', async () => {
  const { webhook, losing } = sender(new URL('http://127.0.0.1:9/'), { attempts: 2 })
  webhook.send(event('e_1'))
  expect((await losing(1))[0]?.why).toMatch(/^not reached: .+, 2 times$/)
})

test('[HOOK-3] any other answer is final, and no redirection is followed', async () => {
  const elsewhere = await Receiver.start()
  const receiver = await Receiver.start(400, 410, { status: 307, location: elsewhere.url.href }, 304)
  const { webhook, losing } = sender(receiver.url, { atOnce: 1 })
  for (const id of ['e_1', 'e_2', 'e_3', 'e_4']) webhook.send(event(id))
  const lost = await losing(4)
  expect(lost.map(({ why }) => why)).toEqual(['answered 400', 'answered 410', 'answered 307', 'answered 304'])
  expect(receiver.received).toHaveLength(4)
  expect(elsewhere.received).toHaveLength(0)
})

test('[HOOK-4] so many events wait and no more: what is too much is reported as lost, the others arrive', async () => {
  const receiver = await Receiver.start(503, 503, 204)
  const { webhook, lost } = sender(receiver.url, { undelivered: 3, atOnce: 2 })
  for (const id of ['e_1', 'e_2', 'e_3', 'e_4']) webhook.send(event(id))
  expect(lost).toEqual([{ id: 'e_4', why: '3 events wait already' }])
  await receiver.count(5)
  expect(new Set(receiver.ids)).toEqual(new Set(['e_1', 'e_2', 'e_3']))
})

test('[HOOK-5] closing gives up what is under way, what waits and what comes after, and sends nothing more', async () => {
  const receiver = await Receiver.start('silence')
  const { webhook, lost } = sender(receiver.url, { atOnce: 1, answerDeadline: 60_000 })
  webhook.send(event('e_1'))
  webhook.send(event('e_2'))
  await receiver.count(1)
  await webhook.close()
  webhook.send(event('e_3'))
  expect(lost.map(({ id }) => id).sort()).toEqual(['e_1', 'e_2', 'e_3'])
  expect(receiver.received).toHaveLength(1)
})

test('[HOOK-6] the secret is made once, for its owner only, and what is no secret is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selfsame-hook-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'webhook.secret')
  const secret = webhookSecret(file)
  expect(Buffer.from(webhookSecret(file))).toEqual(Buffer.from(secret))
  expect(readFileSync(file, 'utf8').trim()).toBe(`whsec_${Buffer.from(secret).toString('base64')}`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  writeFileSync(file, 'hunter2')
  expect(() => webhookSecret(file)).toThrow('does not hold "whsec_"')
})
