import { request } from 'node:http'
import { expect, test } from 'vitest'
import { Serving } from '../process/serving.ts'
import { underAttack } from './attack.ts'
import { Peer } from './peer.ts'
import { frame, Wire } from './wire.ts'

const LIMITS = {
  messageBytes: 16_384,
  fragments: 16,
  messageDeadline: 1_000,
  requestsPerSecond: 100_000,
  requestBurst: 100_000,
}

const TOO_LARGE = JSON.stringify({ id: 1, op: 'schema', padding: 'x'.repeat(LIMITS.messageBytes) })

test('[HOST-10] a message that is too large ends its connection with 4413, which clients take as final', async () => {
  const server = await Serving.limited(LIMITS)
  await underAttack(server, async () => {
    const peer = await Peer.connect(server, 'bot')
    peer.socket.send(TOO_LARGE)
    expect(await peer.closed).toMatchObject({ code: 4413 })
  })
})

test('[HOST-11] fragments that together are too large end their connection with 4413', async () => {
  const server = await Serving.limited(LIMITS)
  const peer = await Peer.connect(server, 'bot')
  for (let sent = 0; sent <= LIMITS.messageBytes; sent += 4_096) peer.socket.send('x'.repeat(4_096), { fin: false })
  expect(await peer.closed).toMatchObject({ code: 4413 })
})

interface Posted {
  readonly status: number | undefined
  readonly text: string
}

/** Chunked where no length is given; a server may answer, and end the connection, before it has read all. */
async function post(server: Serving, body: string, headers: Readonly<Record<string, string>>): Promise<Posted> {
  const authorization = `Bearer ${await server.token('bot')}`
  return new Promise((resolve, reject) => {
    const url = `${server.url}/v1/users/u/observations`
    const asking = request(url, { method: 'POST', headers: { authorization, ...headers } }, response => {
      let text = ''
      response.on('data', chunk => {
        text += String(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    asking.on('error', reject)
    asking.end(body)
  })
}

test('[HOST-12] a body that is too large is refused with 413 and `too_large`, whether or not it says so first', async () => {
  const server = await Serving.limited(LIMITS)
  for (const headers of [{ 'content-length': `${TOO_LARGE.length}` }, { 'transfer-encoding': 'chunked' }]) {
    const { status, text } = await post(server, TOO_LARGE, headers)
    expect(status).toBe(413)
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'too_large' } })
  }
})

/** A message of an odd number of fragments: one byte each, but that the last holds the rest. */
function fragmented(text: string, count: number): Buffer {
  const parts = [...text.slice(0, count - 1), text.slice(count - 1)]
  return Buffer.concat(parts.map((part, i) => frame(part, { opcode: i === 0 ? 1 : 0, fin: i === parts.length - 1 })))
}

test('[HOST-13] as many fragments as are allowed make a message, one more ends the connection', async () => {
  const server = await Serving.limited(LIMITS)
  const question = '{"id":7,"op":"schema"}'
  const allowed = await Wire.upgraded(server, 'bot')
  allowed.socket.write(fragmented(question, LIMITS.fragments))
  await allowed.until(/\{"id":7,"ok":/)
  const beyond = await Wire.upgraded(server, 'bot')
  beyond.socket.write(fragmented(question, LIMITS.fragments + 1))
  await beyond.closed
  expect(beyond.received).not.toContain('"id":7')
  expect(beyond.closeCode).toBe(1_008)
})

test('[HOST-14] floods of fragments of one byte, and of none, are cut while others are served', async () => {
  const server = await Serving.limited(LIMITS)
  const empty = Buffer.concat([frame('{', { fin: false }), ...Array(5_000).fill(frame('', { opcode: 0, fin: false }))])
  const single = Buffer.concat([
    frame('{', { fin: false }),
    ...Array(5_000).fill(frame(' ', { opcode: 0, fin: false })),
  ])
  await underAttack(server, async () => {
    for (const flood of [empty, single]) {
      const wire = await Wire.upgraded(server, 'bot', flood)
      await wire.closed
    }
  })
})
