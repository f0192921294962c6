import type { Desk } from '../../client/index.ts'
import { randomFrom } from '../random.ts'
import { atMost, compared, type Outcome, type Row } from '../report.ts'
import { fill, type Load, reading, successors, VALUES, writing } from './load.ts'
import { BenchServer } from './server.ts'

const GATE_MS = 100
const QUANTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const

interface Case {
  readonly beliefs: number
  readonly inFlight: number
  readonly users: number
  readonly successors: number
}

const CASES: readonly Case[] = [
  { beliefs: 50, inFlight: 1_000, users: 500, successors: 20 },
  { beliefs: 847, inFlight: 64, users: 24, successors: 50 },
]

const fieldsOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `profile.area${i % 40}.habit${i}`)

const definition = {
  fields: { 'profile.*.*': { kind: 'choice', values: VALUES, halfLife: '14d' } },
  roles: {
    writer: { reach: 'all', read: ['**'], write: ['**'] },
    successor: { reach: 'all', read: ['**'], write: ['**'] },
  },
}

/**
 * The gate: what a successor waits for the model of a user it has never touched, many at once, while others write to the
 * same users. A real server in its own process, on a real disk, read by real clients that count what they got.
 */
export async function handoff(quick: boolean): Promise<Outcome> {
  const server = new BenchServer(definition)
  try {
    await server.start()
    const outcomes: Outcome[] = []
    for (const each of CASES) outcomes.push(await measure(server, each, quick))
    return {
      rows: outcomes.flatMap(outcome => outcome.rows),
      requirements: outcomes.flatMap(outcome => outcome.requirements),
    }
  } finally {
    await server.stop()
    server.remove()
  }
}

async function measure(
  server: BenchServer,
  { beliefs, inFlight, users, successors: count }: Case,
  quick: boolean,
): Promise<Outcome> {
  const random = randomFrom(beliefs)
  const load: Load = { users: Array.from({ length: users }, (_, i) => `u_${beliefs}_${i}`), fields: fieldsOf(beliefs) }
  await fill(server, load, random)
  const desks = await successors(server, quick ? count / 5 : count, `successor-${beliefs}`)
  await warmUp(server, load)
  const stop = await writing(server, load)
  const started = performance.now()
  const times = await reading(desks, load, inFlight, random)
  const seconds = (performance.now() - started) / 1000
  const written = await stop()
  await closeAll(desks)
  return report(`${beliefs} beliefs, ${inFlight} reads in flight`, times, seconds, written)
}

/** Just-in-time compilation of both sides is not what is measured. */
async function warmUp(server: BenchServer, load: Load): Promise<void> {
  const desks = await successors(server, 5, 'warm-up')
  await reading(desks, load, 8, randomFrom(1))
  await closeAll(desks)
}

const closeAll = (desks: readonly Desk[]): Promise<unknown> => Promise.all(desks.map(desk => desk.close()))

function report(name: string, times: readonly number[], seconds: number, written: number): Outcome {
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  const rows: Row[] = Object.entries(QUANTILES).map(([metric, share]) =>
    compared({ case: name, metric: `${metric} ms`, ours: quantile(share), peer: 'the gate', theirs: GATE_MS }),
  )
  console.log(
    `${name}: ${times.length} reads, ${Math.round(times.length / seconds)} a second, beside ${Math.round(written / seconds)} writes a second`,
  )
  return { rows, requirements: [atMost(`${name}, p99 in ms`, quantile(QUANTILES.p99), GATE_MS)] }
}
