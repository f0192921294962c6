import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, relative, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { connectIn } from '../../client/desk.ts'
import { environmentOf } from '../../client/environment.ts'
import { browserSocket } from '../../client/socket-browser.ts'
import { scripted } from './desk-at.ts'
import { modelAnswer, type ScriptedServer } from './scripted-server.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const IMPORT = /^(?:import|export)\s(type\s)?(?:[^'"]*?\sfrom\s)?'([^']+)'$/gm

/** What a file needs before it runs: its static imports that are not only of types. */
function needs(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(IMPORT)].filter(([, isType]) => !isType).map(([, , name]) => name as string)
}

function reachable(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set([entry])
  const packages = new Set<string>()
  for (const file of files)
    for (const name of needs(file)) {
      if (name.startsWith('.')) files.add(resolve(dirname(file), name))
      else packages.add(name)
    }
  return { files, packages }
}

test('[SDK-32] a browser that loads selfsame/client loads nothing of Node and no package', () => {
  const { files, packages } = reachable(resolve(ROOT, 'client/index.ts'))
  expect([...packages]).toEqual([])
  const names = [...files].map(file => relative(ROOT, file))
  expect(names).toContain('client/socket-browser.ts')
  expect(names).not.toContain('client/socket-node.ts')
  expect(names).not.toContain('client/file-outbox.ts')
})

type Clerk = (request: IncomingMessage) => { readonly status: number; readonly body: unknown }

/** A server of tickets; sockets go to the scripted one, as they would behind one address. */
async function ticketOffice(sockets: ScriptedServer, clerk: Clerk) {
  const server = createServer((request, response) => {
    const { status, body } = clerk(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const Redirected = class extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address.replace(/:\d+/, `:${sockets.port}`), protocols)
    }
  }
  const open = browserSocket({ WebSocket: Redirected, fetch })
  return { url, environment: { ...environmentOf(open), random: () => 0 } }
}

test('[SDK-33] in a browser the token is changed for a ticket, which travels as a subprotocol', async () => {
  const sockets = await scripted()
  const asked: unknown[] = []
  const { url, environment } = await ticketOffice(sockets, ({ method, url: path, headers }) => {
    asked.push([method, path, headers.authorization])
    return { status: 200, body: { ticket: `ticket${asked.length}` } }
  })
  const connected = connectIn(environment, { url, token: 'secret' })
  const peer = await sockets.greeted()
  const desk = await connected
  expect(asked).toEqual([['POST', '/v1/tickets', 'Bearer secret']])
  expect(peer.headers['sec-websocket-protocol']).toBe('selfsame,ticket1')
  expect(peer.headers.authorization).toBeUndefined()
  const read = desk.user('u_42').model()
  await peer.asked()
  peer.drop()
  const next = await sockets.greeted()
  next.answer(await next.asked(), modelAnswer({}))
  await read
  await desk.close()
  await next.closed()
})

test('[SDK-33] a ticket refused for the token is final, one refused for the moment is asked for again', async () => {
  const sockets = await scripted()
  const refused = await ticketOffice(sockets, () => ({ status: 401, body: {} }))
  await expect(connectIn(refused.environment, { url: refused.url, token: 'x' })).rejects.toMatchObject({
    code: 'unauthorized',
  })
  const answers = [
    { status: 503, body: {} },
    { status: 200, body: { nothing: true } },
    { status: 200, body: { ticket: 'abc' } },
  ]
  const late = await ticketOffice(sockets, () => answers.shift() ?? { status: 500, body: {} })
  const connected = connectIn(late.environment, { url: late.url, token: 'x' })
  const peer = await sockets.greeted()
  expect(peer.headers['sec-websocket-protocol']).toBe('selfsame,abc')
  await (await connected).close()
})
