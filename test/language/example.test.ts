import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { Agents } from '../server/handoff/agents.ts'
import { Program, ROOT } from '../server/process/program.ts'
import { World } from '../server/support/world.ts'

const run = promisify(execFile)
const EXAMPLES = join(ROOT, 'client/examples')

async function environmentOf(world: World) {
  const [TRIAGE, BILLING] = [await world.token('ann', 'triage'), await world.token('bill', 'billing')]
  return { ...process.env, SELFSAME_URL: world.url, TRIAGE, BILLING, PYTHONDONTWRITEBYTECODE: '1' }
}

test('[LANG-1] with curl alone: from a first belief to a handoff that is completed', async () => {
  const world = await World.start()
  const { stdout } = await run('bash', [join(EXAMPLES, 'first-belief.sh')], { env: await environmentOf(world) })
  expect(stdout).toContain('I was charged twice.')
  expect(stdout).toContain('A refund is needed.')
  expect(stdout).toMatch(/^completed h_[0-9a-f]+$/m)
})

test("[LANG-2] with Python's standard library alone: the same, with what is hidden and what is refused", async () => {
  const world = await World.start()
  const { stdout } = await run('python3', [join(EXAMPLES, 'handoff.py')], { env: await environmentOf(world) })
  for (const told of ['I was charged twice.', 'duplicate_charge', 'to ask: need.order', 'hidden from billing: True'])
    expect(stdout).toContain(told)
  expect(stdout).toContain('refused: field_unavailable')
  expect(stdout).toMatch(/^completed h_[0-9a-f]+$/m)
  expect(stdout).not.toContain('frustrated')
})

/** An address for what has none yet: server and receiver each want to know the other's first. */
async function relay(): Promise<{ readonly url: URL; target: string }> {
  const server = createServer((asked, answer) => {
    const { method, headers } = asked
    const onward = request(door.target, { ...(method && { method }), headers }, response => {
      answer.writeHead(response.statusCode ?? 502)
      response.pipe(answer)
    })
    onward.on('error', error => answer.writeHead(502).end(error.message))
    asked.pipe(onward)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.')
  const door = { url: new URL(`http://127.0.0.1:${address.port}/offers`), target: '' }
  return door
}

test('[LANG-3] a receiver in Python verifies offers and accepts them over HTTP; what is forged it turns away', async () => {
  const secret = Buffer.alloc(32, 5).toString('base64')
  const before = await World.start()
  const file = join(before.data, 'webhook.secret')
  writeFileSync(file, `whsec_${secret}\n`, { mode: 0o600 })
  const door = await relay()
  const offerWebhooks = { billing: door.url }
  const agents = await Agents.start({ offerWebhooks, webhookSecretFile: file, webhookPace: { firstWait: 50 } })
  const environment = {
    SELFSAME_URL: agents.world.url,
    SELFSAME_TOKEN: await agents.world.token('bill', 'billing'),
    SELFSAME_WEBHOOK_SECRET: readFileSync(file, 'utf8'),
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const receiver = new Program('python3', [join(EXAMPLES, 'webhook.py'), '0'], { environment })
  const [, url = ''] = await receiver.line(/^listening on (\S+)$/)
  door.target = url
  const { id } = await agents.hand('ann:triage', 'u_1', { role: 'billing' })
  const [, taken] = await receiver.line(/^took (\S+) of u_1$/)
  expect(taken).toBe(id)
  expect(await agents.state(id)).toBe('accepted')
  const headers = {
    'webhook-id': 'x',
    'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
    'webhook-signature': 'v1,AAAA',
  }
  expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401)
})
