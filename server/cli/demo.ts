import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, start } from '../service.ts'
import { runBuilt } from './child.ts'
import { portOf, readFlags, requireNoRest } from './flags.ts'
import { UsageError } from './usage.ts'

/** The parts of the demo, each with a token of its own. */
const CAST = { TRIAGE: 'triage', BILLING: 'billing', TECH: 'tech', PERSON: 'human' } as const

/** Who works at the desk of `--serve`. */
const DESK = {
  'triage-ana': 'triage',
  'triage-tim': 'triage',
  'billing-bea': 'billing',
  'tech-tess': 'tech',
  lee: 'human',
} as const
const MONTH = 30 * 86_400_000
const BEAT = 4_000

/** Serves a store and lets the demo, which is a client like any other, loose on it. */
export async function demo(args: readonly string[]): Promise<number> {
  if (args.includes('--serve')) return serveDesk(args.filter(each => each !== '--serve'))
  requireNoRest(readFlags(args, []))
  return inFolder(undefined, async data => {
    const service = await start({ port: 0, data })
    const tokens = Object.entries(CAST).map(async ([name, role]) => [
      `DEMO_${name}`,
      await service.token(name.toLowerCase(), role),
    ])
    const environment = { DEMO_URL: service.url, ...Object.fromEntries(await Promise.all(tokens)) }
    return runBuilt('client/demo/main.js', [], environment).finally(() => service.close())
  })
}

/** A desk that lives until it is stopped. */
function serveDesk(args: readonly string[]): Promise<number> {
  const line = readFlags(args, ['host', 'port', 'data', 'beat'])
  requireNoRest(line)
  const { host = '127.0.0.1', port = '8787', beat = String(BEAT) } = line.flags
  if (!/^\d{1,6}$/.test(beat)) throw new UsageError('--beat is a number of milliseconds.')
  return inFolder(line.flags.data, async data => {
    const service = await start({ host, port: portOf(port), data })
    console.log(
      `listening on ${service.url}\n\n  The console of this desk, signed in as a person (this link works once):\n`,
    )
    console.log(`    ${service.consoleLink('you', 'human')}\n\n  Ctrl-C ends it.\n`)
    const stopped = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
    const running = runBuilt('client/demo/desk/main.js', [], await castOf(service, Number(beat)), stopped.signal)
    const code = await running.finally(() => service.close())
    return stopped.signal.aborted ? 0 : code
  })
}

async function castOf(service: Service, beat: number): Promise<Record<string, string>> {
  const tokens = Object.entries(DESK).map(async ([agent, role]) => [agent, await service.token(agent, role, MONTH)])
  const cast = { url: service.url, beat, tokens: Object.fromEntries(await Promise.all(tokens)) }
  return { DEMO_DESK: JSON.stringify(cast) }
}

/** In a folder that is named and stays, or in one of its own that goes. */
async function inFolder<T>(named: string | undefined, work: (data: string) => Promise<T>): Promise<T> {
  if (named !== undefined) return work(named)
  const data = mkdtempSync(join(tmpdir(), 'selfsame-demo-'))
  return work(data).finally(() => rmSync(data, { recursive: true, force: true }))
}
