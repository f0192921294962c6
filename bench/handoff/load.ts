import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { connect, type Desk } from '../../client/index.ts'
import type { Random } from '../random.ts'
import { pick, shuffled } from '../random.ts'
import type { BenchServer } from '../server.ts'

export const VALUES = ['never', 'rarely', 'sometimes', 'often', 'always'] as const
const WORDS = 3
/** How often an agent says what most say of the field; else anything. */
const AGREEMENT = 0.8
const PER_REQUEST = 250
const WRITES_PER_SECOND = 200
const WRITER = fileURLToPath(new URL('./writer.js', import.meta.url))

export interface Load {
  readonly users: readonly string[]
  readonly fields: readonly string[]
}

/** What the writing process is told to do. */
export interface Task {
  readonly url: string
  readonly token: string
  readonly load: Load
  readonly perSecond: number
}

/** Fills every user with three words for each field, of three agents that do not agree. */
export async function fill(server: BenchServer, { users, fields }: Load, random: Random): Promise<void> {
  for (let round = 0; round < WORDS; round++) {
    const desk = await connect({ url: server.url, token: await server.token(`writer-${round}`, 'writer') })
    for (const user of users)
      for (let from = 0; from < fields.length; from += PER_REQUEST)
        await desk.user(user).observe(
          fields
            .slice(from, from + PER_REQUEST)
            .map(field => ({ field, value: said(field, random), confidence: 0.7 + 0.25 * random() })),
          { interaction: `past-${round}` },
        )
    await desk.close()
  }
}

/** What an agent says of a field: mostly what others say. */
export const said = (field: string, random: Random): string =>
  random() < AGREEMENT ? (VALUES[field.length % VALUES.length] as string) : pick(random, VALUES)

/** Writes to the same users from another process while others read, until stopped; then tells how many were acknowledged. */
export async function writing(server: BenchServer, load: Load): Promise<() => Promise<number>> {
  const child = fork(WRITER)
  const heard = () => once(child, 'message').then(([message]) => message as unknown)
  const task: Task = {
    url: server.url,
    token: await server.token('live-writer', 'writer'),
    load,
    perSecond: WRITES_PER_SECOND,
  }
  child.send(task)
  await heard()
  return async () => {
    child.send('stop')
    return Number(await heard())
  }
}

/** Successors, each about to read users it has never touched. */
export async function successors(server: BenchServer, count: number, prefix: string): Promise<Desk[]> {
  const tokens = await Promise.all(Array.from({ length: count }, (_, i) => server.token(`${prefix}-${i}`, 'successor')))
  return Promise.all(tokens.map(token => connect({ url: server.url, token })))
}

/**
 * Every successor reads every user once, in an order of its own, with its share of the reads in flight. Times in
 * milliseconds.
 */
export async function reading(
  desks: readonly Desk[],
  { users, fields }: Load,
  inFlight: number,
  random: Random,
): Promise<number[]> {
  const times: number[] = []
  const reader = async (desk: Desk, order: Iterator<string>) => {
    for (let next = order.next(); !next.done; next = order.next()) {
      const started = performance.now()
      const model = await desk.user(next.value).model()
      const belief = model.get(pick(random, fields))
      times.push(performance.now() - started)
      if (model.size !== fields.length || !belief) throw new Error(`read ${model.size} of ${fields.length} beliefs`)
    }
  }
  await Promise.all(
    desks.flatMap(desk => {
      const order = shuffled(random, users).values()
      return Array.from({ length: Math.ceil(inFlight / desks.length) }, () => reader(desk, order))
    }),
  )
  return times
}
