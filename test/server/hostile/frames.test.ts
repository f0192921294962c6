import { expect, test } from 'vitest'
import { Serving } from '../process/serving.ts'
import { underAttack } from './attack.ts'
import { Peer } from './peer.ts'
import { frame, Wire } from './wire.ts'

const LIMITS = { messageDeadline: 1_000, requestsPerSecond: 100_000, requestBurst: 100_000 }

const NO_FRAMES = {
  'binary bytes': Buffer.from('{"id":1,"op":"schema"}'),
  'no JSON': '{"id":1,"op":"schema"',
  'an empty text': '',
  'no object': '[1,"schema"]',
  nothing: 'null',
  'no id': '{"op":"schema"}',
  'an id that is no number': '{"id":"1","op":"schema"}',
  'an id that is no whole number': '{"id":1.5,"op":"schema"}',
  'a negative id': '{"id":-1,"op":"schema"}',
  'no operation': '{"id":1}',
  'an operation that is no text': '{"id":1,"op":["schema"]}',
}

test('[HOST-1] what is no frame, or one without an id, ends the connection with 4400', async () => {
  const server = await Serving.limited(LIMITS)
  for (const [what, text] of Object.entries(NO_FRAMES)) {
    const peer = await Peer.connect(server, 'bot')
    peer.socket.send(text)
    expect(await peer.closed, what).toMatchObject({ code: 4400 })
  }
})

const REFUSED = {
  'an unknown operation': { op: 'drop' },
  'the name of a method all objects have': { op: 'toString' },
  'a user that is no text': { op: 'model', user: 7 },
  'a user that no id can be': { op: 'model', user: 'a b' },
  'no user': { op: 'model' },
  'a key that nobody knows': { op: 'model', user: 'u', also: 1 },
  'patterns that are no list': { op: 'watch', user: 'u', fields: 'need.*' },
  'no patterns': { op: 'watch', user: 'u', fields: [] },
  'observations that are no list': { op: 'observe', user: 'u', observations: { field: 'need.issue' } },
  'no observations': { op: 'observe', user: 'u', observations: [] },
  'a version that is none': { op: 'model', user: 'u', atLeast: 'yesterday' },
}

test('[HOST-2] a frame with an id that asks for what there is not is refused under its id, and the connection goes on', async () => {
  const server = await Serving.limited(LIMITS)
  const peer = await Peer.connect(server, 'bot')
  for (const [what, { op, ...parameters }] of Object.entries(REFUSED))
    expect(await peer.ask(op, parameters), what).toMatchObject({ error: { code: 'bad_request' } })
  expect(await peer.observe('u', 'login_fails')).toMatchObject({ ok: { outcomes: [{ status: 'admitted' }] } })
})

test('[HOST-3] nothing is done of what comes in after the server has begun to close', async () => {
  const server = await Serving.limited(LIMITS)
  const observation = { field: 'need.issue', value: 'smuggled' }
  const write = JSON.stringify({ id: 2, op: 'observe', user: 'u_late', observations: [observation] })
  const wire = await Wire.upgraded(server, 'bot')
  wire.socket.write(Buffer.concat([frame('{}'), ...Array.from({ length: 20 }, () => frame(write))]))
  await wire.closed
  expect(wire.closeCode).toBe(4400)
  const honest = await Peer.connect(server, 'honest')
  expect(JSON.stringify(await honest.ask('model', { user: 'u_late' }))).not.toContain('smuggled')
})

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth)

const DEEP = [
  `{"id":1,"op":"observe","user":"u","observations":[${nested('[', ']', 120_000)}]}`,
  `{"id":1,"op":"observe","user":"u","observations":[{"field":"technical.environment","value":${nested('{"a":', '}', 40_000)}}]}`,
  `{"id":1,"op":"retract","user":"u","retraction":${nested('[', ']', 120_000)}}`,
  `{"id":1,"op":"model","user":${nested('[{"a":', '}]', 30_000)}}`,
]

test('[HOST-7] what is nested deeper than any frame ends its connection with 4400, unread, while others are served', async () => {
  const server = await Serving.limited(LIMITS)
  await underAttack(server, async () => {
    const peers = await Promise.all(DEEP.map(() => Peer.connect(server, 'bot')))
    for (const [i, { socket }] of peers.entries()) socket.send(DEEP[i] ?? '')
    for (const { code } of await Promise.all(peers.map(peer => peer.closed))) expect(code).toBe(4400)
  })
})

test('[HOST-7] brackets within texts do not count, and a value that is too deep is refused under its id', async () => {
  const server = await Serving.limited(LIMITS)
  const peer = await Peer.connect(server, 'bot')
  const text = `\\" ${nested('[{', '}]', 1_000)} "`
  const quoted = await peer.ask('observe', { user: 'u', observations: [{ field: 'need.goal', value: text }] })
  expect(quoted).toMatchObject({ ok: { outcomes: [{ status: 'admitted' }] } })
  const value = JSON.parse(nested('{"a":', '}', 20).replace('}', '1}'))
  const deep = await peer.ask('observe', { user: 'u', observations: [{ field: 'technical.environment', value }] })
  expect(deep).toMatchObject({ ok: { outcomes: [{ error: { code: 'value_too_deep' } }] } })
})

const HEAVY = {
  'many observations': `{"id":1,"op":"observe","user":"u","observations":[${'1,'.repeat(120_000)}1]}`,
  'many bad patterns': `{"id":1,"op":"watch","user":"u","fields":[${'"",'.repeat(80_000)}""]}`,
  'many keys': `{"id":1,"op":"model","user":"u",${Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join()}}`,
  'a long operation': `{"id":1,"op":"${'x'.repeat(250_000)}"}`,
  'a long user': `{"id":1,"op":"model","user":"${'x'.repeat(250_000)}"}`,
  'a long pattern': `{"id":1,"op":"watch","user":"u","fields":["${'*.'.repeat(120_000)}*"]}`,
}

test('[HOST-4] what is heavy to read is refused in few words, while others are served', async () => {
  const server = await Serving.limited(LIMITS)
  const peers = await Promise.all(['bot-1', 'bot-2', 'bot-3'].map(agent => Peer.connect(server, agent)))
  const kinds = Object.entries(HEAVY)
  await underAttack(server, async round => {
    for (const [i, [what, text]] of kinds.entries()) {
      const id = round * kinds.length + i
      for (const peer of peers) peer.socket.send(text.replace('"id":1', `"id":${id}`))
      for (const answer of await Promise.all(peers.map(peer => peer.answer(id)))) {
        expect(JSON.stringify(answer), what).toContain('"error"')
        expect(JSON.stringify(answer).length, what).toBeLessThan(20_000)
      }
    }
  })
})

test('[HOST-5] keys named after prototypes reach nobody', async () => {
  const server = await Serving.limited(LIMITS)
  const peer = await Peer.connect(server, 'bot')
  const poison = '{"user":"u_poison","polluted":"yes","atomic":true,"field":"need.issue","value":"poisoned"}'
  for (const key of ['__proto__', 'constructor', 'prototype'])
    for (const [id, text] of [
      `"op":"model","${key}":${poison}`,
      `"op":"observe","user":"u","observations":[{"${key}":${poison}}]`,
      `"op":"observe","user":"u","observations":[{"field":"technical.environment","value":{"${key}":${poison}}}]`,
      `"op":"retract","user":"u","retraction":{"${key}":${poison}}`,
    ].entries())
      peer.socket.send(`{"id":${id + 1000},${text}}`)
  await peer.ask('schema')
  expect(await peer.ask('model'), 'a user from nowhere').toMatchObject({ error: { code: 'bad_request' } })
  expect(await peer.ask('observe', { user: 'u', observations: [{}] })).toMatchObject({
    ok: { outcomes: [{ status: 'refused' }] },
  })
  for (const user of ['u', 'u_poison'])
    expect(JSON.stringify(await peer.ask('model', { user }))).not.toMatch(/poison(ed)?"\]|yes/)
})

const GARBAGE = {
  'plain text': Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100)),
  zeros: Buffer.alloc(4_096),
  'bytes of ones': Buffer.alloc(4_096, 0xff),
  'a frame without a mask': frame('{"id":1,"op":"schema"}', { masked: false }),
  'reserved bits': frame('{"id":1,"op":"schema"}', { reserved: 0x40 }),
  'an opcode that is none': frame('{"id":1,"op":"schema"}', { opcode: 3 }),
  'a continuation of nothing': frame('{"id":1,"op":"schema"}', { opcode: 0 }),
  'a ping in fragments': frame('x', { opcode: 9, fin: false }),
  'text that is not UTF-8': frame(Buffer.from([0xff, 0xfe, 0xc0])),
  'a length beyond all numbers': Buffer.from([0x81, 0xff, ...Array(8).fill(0xff), 0, 0, 0, 0]),
}

test('[HOST-6] bytes after the upgrade that are no frames end that connection and no other', async () => {
  const server = await Serving.limited(LIMITS)
  await underAttack(server, async () => {
    for (const [what, bytes] of Object.entries(GARBAGE)) {
      const wire = await Wire.upgraded(server, 'bot', bytes)
      await wire.closed
      expect(wire.closeCode, what).toBeGreaterThan(1_000)
    }
  })
})
