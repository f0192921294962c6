import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { ROOT } from '../server/process/program.ts'
import type { World } from '../server/support/world.ts'

/** Every way in: both transports, and the revisions of the protocol that hosts speak today. */
export const WAYS = [
  { door: 'stdio', era: 'legacy' },
  { door: 'stdio', era: 'auto' },
  { door: 'http', era: 'legacy' },
  { door: 'http', era: 'auto' },
] as const

export type Way = (typeof WAYS)[number]

const MAIN = join(ROOT, 'dist/server/cli/main.js')

const result = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().default('') })),
  structuredContent: z.record(z.string(), z.unknown()).default({}),
  isError: z.boolean().default(false),
})

export interface Called {
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
  readonly isError: boolean
}

/** A host of MCP with the official client, as the agent of one token. */
export class Host {
  readonly client: Client

  private constructor(client: Client) {
    this.client = client
  }

  static async connect(world: World, agent: string, role: string, { door, era }: Way): Promise<Host> {
    const token = await world.token(agent, role)
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } })
    await client.connect(door === 'http' ? overHttp(world.url, token) : overStdio(world.url, token))
    onTestFinished(() => client.close())
    return new Host(client)
  }

  async call(name: string, input: Record<string, unknown> = {}): Promise<Called> {
    const { content, structuredContent, isError } = result.parse(await this.client.callTool({ name, arguments: input }))
    return { text: content.map(({ text }) => text).join('\n'), data: structuredContent, isError }
  }

  async read(uri: string): Promise<string> {
    const { contents } = await this.client.readResource({ uri })
    return contents.map(each => ('text' in each ? each.text : '')).join('\n')
  }

  /** Resolves at the next notification for an address. */
  async updated(uri: string, act: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
    const heard: string[] = []
    let wake = () => {}
    this.client.setNotificationHandler('notifications/resources/updated', note => {
      heard.push(note.params.uri)
      wake()
    })
    if (this.client.getProtocolEra() === 'modern') await this.client.listen({ resourceSubscriptions: [uri] })
    else await this.client.subscribeResource({ uri })
    await act()
    while (!(heard.length > 0 && (await isDone()))) {
      heard.splice(0)
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
}

export const overHttp = (url: string, token: string): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })

const overStdio = (url: string, token: string): StdioClientTransport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: { SELFSAME_URL: url, SELFSAME_TOKEN: token, PATH: process.env['PATH'] ?? '' },
    stderr: 'pipe',
  })
