import { byHocuspocus, loadHocuspocus } from './hocuspocus.ts'
import type { Open } from './opened.ts'

/** A process that opens replicas when told to, and tells how long each took to its first full read. */

export type Way = 'provider' | 'sdk' | 'hocuspocus'

export interface OpenerTask {
  readonly way: Way
  readonly url: string
  readonly folder: string
  /** Of different agents; each has its share of what is opened at once. */
  readonly tokens: readonly string[]
}

export interface Turn {
  /** What was written of each user, field by field. */
  readonly written: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly opens: number
  readonly atOnce: number
}

async function waysIn({ way, url, folder, tokens }: OpenerTask): Promise<Open[]> {
  if (way === 'hocuspocus') {
    const hocuspocus = await loadHocuspocus(folder)
    return tokens.map(token => byHocuspocus(hocuspocus, url, token))
  }
  // Hocuspocus has a Yjs of its own, and two in one process are no friends.
  const { byProvider, bySdk } = await import('./open.ts')
  return Promise.all(tokens.map(token => (way === 'sdk' ? bySdk(url, token) : byProvider(url, token))))
}

async function take(ways: readonly Open[], { written, opens, atOnce }: Turn): Promise<number[]> {
  const users = Object.keys(written)
  const times: number[] = []
  let next = 0
  const work = async (open: Open) => {
    while (next < opens) {
      const user = users[next++ % users.length] as string
      times.push(await timed(open, user, written[user] ?? {}))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, i) => work(ways[i % ways.length] as Open)))
  return times
}

/** A function of its own, so that what was opened is let go before the next is: at all sides alike. */
async function timed(open: Open, user: string, written: Readonly<Record<string, unknown>>): Promise<number> {
  const started = performance.now()
  const opened = await open(user)
  const read = opened.read()
  const took = performance.now() - started
  opened.close()
  confirm(written, read)
  return took
}

/** What was opened is what was written, all of it and nothing else. */
function confirm(written: Readonly<Record<string, unknown>>, read: ReadonlyMap<string, unknown>): void {
  const fields = Object.entries(written)
  const wrong = fields.find(([field, value]) => read.get(field) !== value)
  if (wrong) throw new Error(`${wrong[0]} was written as ${wrong[1]} and read as ${read.get(wrong[0])}`)
  if (read.size !== fields.length) throw new Error(`${read.size} of ${fields.length} fields were read`)
}

process.once('message', async (task: OpenerTask) => {
  const ways = await waysIn(task)
  process.on('message', async (turn: Turn) => process.send?.(await take(ways, turn)))
  process.send?.('ready')
})
process.once('disconnect', () => process.exit())
