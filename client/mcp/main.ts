import { readFileSync } from 'node:fs'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { SelfsameError } from '../../model/error.ts'
import { INSTRUCTIONS, offer } from '../../model/toolset/toolset.ts'
import type { Desk } from '../desk.ts'
import { connect } from '../index.ts'
import { HeardTransport } from './heard-transport.ts'
import { Subscriptions } from './subscriptions.ts'

/** `selfsame mcp`: the tools over stdio. Nothing but the protocol goes to stdout. */

const { SELFSAME_URL: url = 'http://127.0.0.1:8787', SELFSAME_TOKEN: token } = process.env
const CONNECT_WITHIN = 15_000

async function main(): Promise<void> {
  if (!token) throw new Error('Set SELFSAME_TOKEN: `npx selfsame token --agent ID --role ROLE` prints one.')
  const desk = await connect({ url, token, timeout: CONNECT_WITHIN, onEnd: end })
  serve(desk)
}

function serve(desk: Desk): void {
  let current: McpServer | undefined
  // Who has just left needs no notification; every other failure shows in what is asked next.
  const updated = (uri: string) => void current?.server.sendResourceUpdated({ uri }).catch(() => undefined)
  const subscriptions = new Subscriptions(desk, updated)
  const transport = new HeardTransport(message => subscriptions.heard(message))
  serveStdio(
    () => {
      current = serverFor(desk)
      return current
    },
    { transport, onerror: error => console.error(`selfsame mcp: ${error.message}`) },
  )
  transport.ended.then(async () => {
    subscriptions.close()
    await desk.close()
    process.exit(0)
  })
}

function serverFor(desk: Desk): McpServer {
  const info = { name: 'selfsame', version: versionOf() }
  const capabilities = { tools: {}, resources: { subscribe: true } }
  const server = new McpServer(info, { instructions: INSTRUCTIONS, capabilities })
  offer(server, desk.tools, (uri, list) => new ResourceTemplate(uri, { list }))
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
  return server
}

/** This file is dist/client/mcp/main.js when it runs. */
const versionOf = (): string =>
  String(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version)

function end(error: SelfsameError): void {
  console.error(`selfsame mcp: ${error.message}`)
  process.exit(1)
}

try {
  await main()
} catch (error) {
  const code = error instanceof SelfsameError ? `${error.code}: ` : ''
  console.error(`selfsame mcp: ${code}${error instanceof Error ? error.message : error} (server: ${url})`)
  process.exit(1)
}
