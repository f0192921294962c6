import { expect } from 'vitest'
import type { Serving } from '../process/serving.ts'
import { Peer } from './peer.ts'

/** How long an attack goes on: enough for a hundred and more samples of the event loop. */
const DURATION = 1_500
const ROUNDS_PER_USER = 100
const MIN_SERVED = 3
const MAX_LAG = 50

/**
 * Repeats an attack for a while, during which an honest agent writes and reads without a break. Every write must be
 * answered and read back, and the server's own event loop must have been free: the 99th percentile of its lag, which it
 * measures itself, below 50 ms.
 */
export async function underAttack(server: Serving, attack: (round: number) => Promise<void>): Promise<void> {
  const honest = await Peer.connect(server, 'honest')
  await server.lag()
  const until = performance.now() + DURATION
  let isOver = false
  const attacking = repeated(attack, until).finally(() => {
    isOver = true
  })
  let served = 0
  while (!isOver) {
    served += 1
    await serve(honest, served)
  }
  await attacking
  const lag = await server.lag()
  expect(served).toBeGreaterThan(MIN_SERVED)
  expect(lag).toBeLessThan(MAX_LAG)
}

async function repeated(attack: (round: number) => Promise<void>, until: number): Promise<void> {
  for (let round = 0; performance.now() < until; round++) await attack(round)
}

async function serve(honest: Peer, round: number): Promise<void> {
  const user = `u_${Math.floor(round / ROUNDS_PER_USER)}`
  const said = await honest.observe(user, `value-${round}`)
  expect(said).toMatchObject({ ok: { outcomes: [{ status: 'admitted' }] } })
  const read = await honest.ask('model', { user, fields: ['need.issue'] })
  expect(JSON.stringify(read)).toContain(`"value-${round}"`)
}
