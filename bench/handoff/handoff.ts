import { connect, type Desk } from '../../client/index.ts'
import { randomFrom } from '../random.ts'
import { atMost, compared, type Outcome, type Row } from '../report.ts'
import { BenchServer } from '../server.ts'
import { median, quantile, sorted } from '../timing.ts'
import { fill, type Load, reading, successors, VALUES, writing } from './load.ts'
import { accepting, offering, offersOf } from './passing.ts'

const GATE_MS = 100
const ROUNDS = 3
const QUANTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const

interface Case {
  readonly beliefs: number
  readonly inFlight: number
  readonly users: number
  readonly successors: number
  /** Handoffs that are being accepted at once, of as many as there are users. */
  readonly accepting: number
}

const CASES: readonly Case[] = [
  { beliefs: 50, inFlight: 1_000, users: 500, successors: 50, accepting: 64 },
  { beliefs: 847, inFlight: 64, users: 60, successors: 32, accepting: 16 },
]

const fieldsOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `profile.area${i % 40}.habit${i}`)

const definition = {
  fields: { 'profile.*.*': { kind: 'choice', values: VALUES, halfLife: '14d' } },
  roles: {
    writer: { reach: 'all', read: ['**'], write: ['**'], handsTo: ['successor'] },
    successor: { reach: 'all', read: ['**'], write: ['**'] },
  },
}

/**
 * The gate: what a successor waits for the model of a user it has never touched, many at once, while others write to the
 * same users; and what it waits from accepting a handoff until it has all of the work and the model. A real server in its own process, on a real disk, read by real clients that count what they got.
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

async function measure(server: BenchServer, each: Case, quick: boolean): Promise<Outcome> {
  const load: Load = {
    users: Array.from({ length: each.users }, (_, i) => `u_${each.beliefs}_${i}`),
    fields: fieldsOf(each.beliefs),
  }
  await fill(server, load, randomFrom(each.beliefs))
  await warmUp(server, load, each)
  const rounds: Round[] = []
  for (let number = 0; number < (quick ? 1 : ROUNDS); number++) rounds.push(await round(server, load, each, number))
  const passed: Round[] = []
  for (let number = 0; number < (quick ? 1 : ROUNDS); number++) passed.push(await passRound(server, load, each, number))
  const [read, accepted] = [
    report(`${each.beliefs} beliefs, ${each.inFlight} reads in flight`, rounds),
    report(`${each.beliefs} beliefs, ${each.accepting} of ${each.users} handoffs being accepted`, passed),
  ]
  return {
    rows: [...read.rows, ...accepted.rows],
    requirements: [...read.requirements, ...accepted.requirements],
  }
}

/** Handoffs to successors, all open at once, that are accepted with full context while others write to the same users. */
async function passRound(server: BenchServer, load: Load, each: Case, number: number): Promise<Round> {
  const prefix = `taker-${each.beliefs}-${number}`
  const sender = await connect({ url: server.url, token: await server.token(`giver-${number}`, 'writer') })
  await offering(sender, load, prefix, each.successors)
  const desks = await successors(server, each.successors, prefix)
  const offers = await offersOf(desks, load.users.length)
  const stop = await writing(server, load)
  const started = performance.now()
  const times = await accepting(offers, load, each.accepting)
  const seconds = (performance.now() - started) / 1000
  const written = await stop()
  await closeAll([sender, ...desks])
  return { times: sorted(times), seconds, written }
}

interface Round {
  readonly times: readonly number[]
  readonly seconds: number
  readonly written: number
}

async function round(
  server: BenchServer,
  load: Load,
  { inFlight, successors: count, beliefs }: Case,
  number: number,
): Promise<Round> {
  const desks = await successors(server, count, `successor-${beliefs}-${number}`)
  const stop = await writing(server, load)
  const started = performance.now()
  const times = await reading(desks, load, inFlight, randomFrom(number))
  const seconds = (performance.now() - started) / 1000
  const written = await stop()
  await closeAll(desks)
  return { times: sorted(times), seconds, written }
}

/** Just-in-time compilation of both sides is not what is measured. */
async function warmUp(server: BenchServer, load: Load, { inFlight, successors: count, beliefs }: Case): Promise<void> {
  const desks = await successors(server, count, `warm-up-${beliefs}`)
  await reading(desks, load, inFlight, randomFrom(beliefs))
  await closeAll(desks)
}

const closeAll = (desks: readonly Desk[]): Promise<unknown> => Promise.all(desks.map(desk => desk.close()))

/** Of each quantile the median over the rounds counts, as machines are noisy; every round's p99 is printed. */
function report(name: string, rounds: readonly Round[]): Outcome {
  for (const { times, seconds, written } of rounds)
    console.log(
      `${name}: ${times.length} times, ${Math.round(times.length / seconds)} a second, beside ${Math.round(written / seconds)} writes a second, p99 ${quantile(times, QUANTILES.p99).toFixed(1)} ms`,
    )
  const overRounds = (share: number) => median(rounds.map(({ times }) => quantile(times, share)))
  const rows: Row[] = Object.entries(QUANTILES).map(([metric, share]) =>
    compared({ case: name, metric: `${metric} ms`, ours: overRounds(share), peer: 'the gate', theirs: GATE_MS }),
  )
  return { rows, requirements: [atMost(`${name}, p99 in ms`, overRounds(QUANTILES.p99), GATE_MS)] }
}
