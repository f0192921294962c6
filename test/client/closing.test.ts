import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connectIn } from '../../client/desk.ts'
import type { SelfsameError } from '../../client/index.ts'
import { CLOSE } from '../../model/wire/frame.ts'
import { connecting, deskAt, impatient, scripted } from './desk-at.ts'
import { modelAnswer } from './scripted-server.ts'

const FINAL = [
  [CLOSE.unauthorized, 'unauthorized'],
  [CLOSE.forbidden, 'forbidden'],
  [CLOSE.tooLarge, 'too_large'],
  [CLOSE.badFrame, 'bad_request'],
] as const

test.each(FINAL)('[SDK-20] a connection closed with %i is over for good: %s', async (close, code) => {
  const server = await scripted()
  let tell: (error: SelfsameError) => void = () => undefined
  const ended = new Promise<SelfsameError>(resolve => {
    tell = resolve
  })
  const { desk, peer } = await deskAt(server, { onEnd: error => tell(error) })
  const user = desk.user('u_42')
  const [read, written] = [user.model(), user.observe({ 'need.issue': 'a' })]
  await peer.asked()
  peer.close(close, 'said why')
  await expect(read).rejects.toMatchObject({ code, message: expect.stringContaining('said why') })
  await expect(written).rejects.toMatchObject({ code })
  await expect(user.model()).rejects.toMatchObject({ code })
  await expect(user.observe({ 'need.issue': 'b' })).rejects.toMatchObject({ code })
  expect(await ended).toMatchObject({ code })
})

test.each([1000, 1001, 1006, 1011, 1012, CLOSE.tooSlow, CLOSE.startAfresh])(
  '[SDK-20] a connection that ended with %i comes back',
  async close => {
    const server = await scripted()
    const { desk, peer } = await deskAt(server)
    const read = desk.user('u_42').model()
    await peer.asked()
    if (close === 1006) peer.drop()
    else peer.close(close)
    const next = await server.greeted()
    next.answer(await next.asked(), modelAnswer({}))
    await read
  },
)

test('[SDK-20] connect rejects when the token is turned down', async () => {
  const server = await scripted()
  const desk = connecting(server)
  const peer = await server.connection()
  expect(peer.headers.authorization).toBe('Bearer secret')
  peer.close(CLOSE.unauthorized, 'expired')
  await expect(desk).rejects.toMatchObject({ code: 'unauthorized' })
})

test.each([
  [401, 'unauthorized'],
  [403, 'forbidden'],
] as const)('[SDK-20] an upgrade answered with HTTP status %i is refused for good', async (status, code) => {
  const server = createServer()
  server.on('upgrade', (_request, socket) => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(connectIn(impatient, { url, token: 'x' })).rejects.toMatchObject({ code })
})

test('[SDK-20] an upgrade refused for the moment is tried again', async () => {
  const server = await scripted()
  const gate = createServer()
  gate.on('upgrade', (_request, socket) => {
    gate.close()
    socket.end('HTTP/1.1 503 Full\r\nContent-Length: 0\r\n\r\n')
  })
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  const full = new URL(`http://127.0.0.1:${(gate.address() as AddressInfo).port}`)
  const urls = [full, new URL(server.url)]
  const environment = {
    ...impatient,
    open: ((target, events) =>
      impatient.open({ ...target, url: urls.shift() ?? target.url }, events)) as typeof impatient.open,
  }
  const desk = connecting(server, { environment })
  await server.greeted()
  await (await desk).close()
})

test('[SDK-21] a token that can be fetched is fetched anew once, and work goes on', async () => {
  const server = await scripted()
  const tokens = ['first', 'second']
  const { desk, peer } = await deskAt(server, { token: async () => tokens.shift() ?? 'none' })
  expect(peer.headers.authorization).toBe('Bearer first')
  const read = desk.user('u_42').model()
  await peer.asked()
  peer.close(CLOSE.unauthorized, 'expired')
  const next = await server.greeted()
  expect(next.headers.authorization).toBe('Bearer second')
  next.answer(await next.asked(), modelAnswer({}))
  await read
})

test('[SDK-21] a connection that was merely lost comes back with the token it had', async () => {
  const server = await scripted()
  const tokens = ['first', 'second']
  const { peer } = await deskAt(server, { token: () => tokens.shift() ?? 'none' })
  peer.drop()
  const next = await server.greeted()
  expect(next.headers.authorization).toBe('Bearer first')
})

test('[SDK-21] when the fresh token is turned down as well, that is final', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server, { token: () => 'stale' })
  const read = desk.user('u_42').model()
  await peer.asked()
  peer.close(CLOSE.unauthorized)
  const next = await server.connection()
  next.close(CLOSE.unauthorized)
  await expect(read).rejects.toMatchObject({ code: 'unauthorized' })
})

test('[SDK-21] a fresh token of another agent ends it: writes are never sent in another name', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const written = desk.user('u_42').observe({ 'need.issue': 'a' })
  await peer.asked()
  peer.drop()
  const next = await server.greeted({ agent: 'ben' })
  await expect(written).rejects.toMatchObject({ code: 'unauthorized', message: expect.stringContaining('ben') })
  await next.closed()
  expect(next.unread).toBe(0)
})

test('[SDK-21] a token that no header can hold is said to be so', async () => {
  const server = await scripted()
  await expect(connecting(server, { token: 'with\nnewline' })).rejects.toMatchObject({ code: 'unauthorized' })
})

test('[SDK-22] connect gives up in time and says what the trouble was', async () => {
  const server = await scripted()
  const { url } = server
  await server.stop()
  const desk = connectIn(impatient, { url, token: 'x', timeout: 50 })
  await expect(desk).rejects.toMatchObject({ code: 'timed_out', message: expect.stringContaining('ECONNREFUSED') })
  const failing = connectIn(impatient, { url, token: () => Promise.reject(new Error('no vault')), timeout: 50 })
  await expect(failing).rejects.toMatchObject({ code: 'timed_out', message: expect.stringContaining('no vault') })
})

test('[SDK-22] connect waits for a server that is late', async () => {
  const server = await scripted()
  const desk = connecting(server)
  const early = await server.connection()
  early.drop()
  await server.greeted()
  expect((await desk).agent).toBe('ava')
  await (await desk).close()
})

test('[SDK-22] what is no address of a server is refused', async () => {
  for (const url of ['nonsense', 'ftp://example.org'])
    await expect(connectIn(impatient, { url, token: 'x' })).rejects.toMatchObject({ code: 'bad_request' })
})

test('[SDK-23] a desk knows who it is, what it may do, and the shape of what it may say', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server, { greeting: { agent: 'bill', role: 'billing' } })
  expect(desk.agent).toBe('bill')
  expect(desk.role).toBe('billing')
  expect(Object.keys(desk.schema.fields)).toContain('billing.plan')
  expect(Object.keys(desk.schema.fields)).not.toContain('emotion.state')
  expect(JSON.stringify(desk.schema.tool('observe'))).toContain('billing.plan')
  peer.drop()
  await server.greeted({ agent: 'bill', role: 'human' })
  const read = desk.user('u_42').model()
  await expect.poll(() => desk.role).toBe('human')
  await desk.close()
  await expect(read).rejects.toMatchObject({ code: 'disconnected' })
})

test('[SDK-24] a server that speaks another protocol is not listened to', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const read = desk.user('u_42').model()
  await peer.asked()
  peer.send('not JSON')
  const next = await server.greeted()
  next.answer(await next.asked(), modelAnswer({}))
  await read
  const second = desk.user('u_42').model()
  await next.asked()
  next.send({ id: null, error: { code: 'bad_request', message: 'no id' } })
  await expect(second).rejects.toMatchObject({ code: 'bad_request', message: 'no id' })
})
