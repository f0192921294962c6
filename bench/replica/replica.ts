import { connect } from '../../client/index.ts'
import { pick, type Random, randomFrom } from '../random.ts'
import { atMost, compared, type Outcome, type Requirement, type Row } from '../report.ts'
import { BenchServer } from '../server.ts'
import { median, quantile, sorted } from '../timing.ts'
import { Child } from './child.ts'
import { type Fetched, fetchHocuspocus } from './hocuspocus.ts'
import type { PeerTask } from './hocuspocus-server.ts'
import { byProvider } from './open.ts'
import { EVIDENCE, type Opened, type Piece } from './opened.ts'
import type { OpenerTask, Turn, Way } from './opener.ts'

const MOST = 0.5
const USERS = 16
const AGENTS = 64
const ROUNDS = 5
const PER_REQUEST = 250
const VALUES = ['never', 'rarely', 'sometimes', 'often', 'always'] as const
const QUANTILES = { p50: 0.5, p99: 0.99 } as const
const PEER = 'hocuspocus'
const OURS: Readonly<Record<Exclude<Way, typeof PEER>, string>> = {
  provider: 'WebsocketProvider',
  sdk: 'user.replica()',
}

interface Case {
  readonly beliefs: number
  readonly atOnce: number
  readonly opens: number
}

const SIZES = [50, 847] as const
const CASES: readonly Case[] = SIZES.flatMap(beliefs => [
  { beliefs, atOnce: 1, opens: 200 },
  { beliefs, atOnce: 64, opens: 320 },
])

const definition = {
  fields: { 'profile.*.*': { kind: 'choice', values: VALUES, halfLife: '14d' } },
  roles: { agent: { reach: 'all', read: ['**'], write: ['**'] } },
}

type Written = Turn['written']

/**
 * From the call that opens a live replica to all of it read, at our server and at Hocuspocus: the same values, the same
 * kind of token, the same Node and the same kind of socket on both sides. Every server is a process of its own, and so is
 * every kind of client; each client compares all that it read with what was written.
 *
 *   Hocuspocus         a provider with a socket of its own, its default: upgrade, token, sync; reads the pieces in the map
 *   WebsocketProvider  a socket of its own: upgrade with the token, sync; reads the pieces in the map
 *   user.replica()     on the socket its desk has, authenticated before: evidence as JSON; computes and reads every belief
 *
 * The requirement is on user.replica(). A WebsocketProvider applies the same update by the same Yjs as Hocuspocus' provider
 * does, which is half of its time: it is compared, and nothing is asked of it.
 */
export async function replica(quick: boolean): Promise<Outcome> {
  const peer = await fetchHocuspocus()
  console.log(peer.isThere ? `Hocuspocus ${peer.version}, all on ${peer.node}` : `SKIPPED Hocuspocus: ${peer.reason}`)
  const node = peer.isThere ? peer.node : process.execPath
  const server = new BenchServer(definition, node)
  const children: Child[] = []
  const anchors: Opened[] = []
  try {
    await server.start()
    const written = new Map<number, Written>()
    for (const beliefs of SIZES) written.set(beliefs, await fill(server, beliefs, randomFrom(beliefs)))
    const documents = await hold(server, [...written.values()].flatMap(Object.keys), anchors)
    const openers = await startOpeners(server, peer, node, documents, children)
    return report(await measure(openers, written, quick ? 1 : ROUNDS), peer)
  } finally {
    for (const anchor of anchors) anchor.close()
    for (const child of children) await child.stop()
    await server.stop()
    server.remove()
  }
}

/** One word for each field of some users. */
async function fill(server: BenchServer, beliefs: number, random: Random): Promise<Written> {
  const desk = await connect({ url: server.url, token: await server.token('writer', 'agent') })
  const fields = Array.from({ length: beliefs }, (_, i) => `profile.area${i % 40}.habit${i}`)
  const written: Record<string, Record<string, string>> = {}
  for (let i = 0; i < USERS; i++) {
    const words = fields.map(field => ({ field, value: pick(random, VALUES), confidence: 0.7 + 0.25 * random() }))
    const user = `u_${beliefs}_${i}`
    for (let from = 0; from < beliefs; from += PER_REQUEST)
      await desk.user(user).observe(words.slice(from, from + PER_REQUEST), { interaction: 'past' })
    written[user] = Object.fromEntries(words.map(({ field, value }) => [field, value]))
  }
  await desk.close()
  return written
}

/** Someone has each document open all the while, as at the peer; what it holds is what the peer is given. */
async function hold(
  server: BenchServer,
  users: readonly string[],
  anchors: Opened[],
): Promise<Record<string, Record<string, Piece>>> {
  const open = byProvider(server.url, await server.token('anchor', 'agent'))
  const documents: Record<string, Record<string, Piece>> = {}
  for (const user of users) {
    const anchor = await open(user)
    anchors.push(anchor)
    documents[user] = Object.fromEntries(anchor.doc.getMap<Piece>(EVIDENCE).entries())
  }
  return documents
}

async function startOpeners(
  server: BenchServer,
  peer: Fetched,
  node: string,
  documents: PeerTask['documents'],
  children: Child[],
): Promise<Map<Way, Child>> {
  const tokens = await Promise.all(Array.from({ length: AGENTS }, (_, i) => server.token(`agent-${i}`, 'agent')))
  const openers = new Map<Way, Child>()
  const child = (module: string): Child => {
    const made = new Child(new URL(module, import.meta.url), node)
    children.push(made)
    return made
  }
  const opener = async (way: Way, url: string, folder: string) => {
    const task: OpenerTask = { way, url, folder, tokens }
    const made = child('./opener.js')
    await made.ask(task)
    openers.set(way, made)
  }
  if (peer.isThere) {
    const task: PeerTask = { folder: peer.folder, secret: Buffer.from(server.secret).toString('hex'), documents }
    await opener(PEER, String(await child('./hocuspocus-server.js').ask(task)), peer.folder)
  }
  for (const way of ['provider', 'sdk'] as const) await opener(way, server.url, '')
  return openers
}

interface Measured extends Case {
  /** Of each way the quantiles of each round. */
  readonly rounds: ReadonlyMap<Way, readonly Round[]>
}

type Round = Readonly<Record<keyof typeof QUANTILES, number>>

/** All ways take turns, each round beginning with another, so that whatever slows the machine slows every one of them. */
async function measure(
  openers: ReadonlyMap<Way, Child>,
  written: ReadonlyMap<number, Written>,
  rounds: number,
): Promise<Measured[]> {
  const results = CASES.map(each => ({
    ...each,
    rounds: new Map([...openers.keys()].map(way => [way, [] as Round[]])),
  }))
  for (let number = -1; number < rounds; number++)
    for (const each of results) {
      const turn: Turn = { written: written.get(each.beliefs) ?? {}, opens: each.opens, atOnce: each.atOnce }
      for (const [way, opener] of rotated([...openers], number + 1)) {
        const round = roundOf((await opener.ask(turn)) as number[])
        // Just-in-time compilation is not what is measured.
        if (number >= 0) each.rounds.get(way)?.push(round)
        const name = number < 0 ? 'warm-up' : `round ${number + 1} of ${rounds}`
        console.log(`${name}, ${caseOf(each)}, ${way}: p50 ${round.p50.toFixed(2)} ms, p99 ${round.p99.toFixed(2)} ms`)
      }
    }
  return results
}

const rotated = <T>(items: readonly T[], by: number): T[] => [
  ...items.slice(by % items.length),
  ...items.slice(0, by % items.length),
]

function roundOf(times: readonly number[]): Round {
  const inOrder = sorted(times)
  return { p50: quantile(inOrder, QUANTILES.p50), p99: quantile(inOrder, QUANTILES.p99) }
}

const caseOf = ({ beliefs, atOnce }: Case): string => `${beliefs} beliefs, ${atOnce} at a time`

function report(results: readonly Measured[], peer: Fetched): Outcome {
  const rows: Row[] = []
  const requirements: Requirement[] = peer.isThere
    ? []
    : [{ text: `Hocuspocus was skipped: ${peer.reason}`, met: false }]
  for (const result of results)
    for (const way of ['provider', 'sdk'] as const)
      for (const metric of ['p50', 'p99'] as const) {
        const of = (each: Way) => median((result.rounds.get(each) ?? []).map(round => round[metric]))
        const name = `${caseOf(result)}, ${OURS[way]}`
        const row = compared({
          case: name,
          metric: `${metric} ms`,
          ours: of(way),
          peer: peer.isThere ? `Hocuspocus ${peer.version}` : 'Hocuspocus, skipped',
          theirs: of(PEER),
        })
        rows.push(row)
        if (peer.isThere && way === 'sdk')
          requirements.push(atMost(`${name}, ${metric} ÷ Hocuspocus'`, row.ratio, MOST))
      }
  return { rows, requirements }
}
