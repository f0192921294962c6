import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Archive } from '../../server/store/archive.ts'
import { Build, type Worker } from './child/process.ts'
import { expectKept } from './kept.ts'
import { scratch } from './scratch.ts'

const ROUNDS = process.env['SELFSAME_LONG'] === '1' ? 50 : 5
const MOST_ACKNOWLEDGED = 4_000

let build: Build
beforeAll(() => {
  build = new Build()
})
afterAll(() => build.remove())

test(`[STO-70] killed ${ROUNDS} times under load, the store has everything that was acknowledged`, async () => {
  const directory = scratch()
  const acknowledged: Worker['acknowledged'] = []
  for (let round = 0; round < ROUNDS; round++) {
    const worker = build.run(['write', directory, `${round}`])
    const killedAt = randomInt(1, MOST_ACKNOWLEDGED)
    await worker.until('ack', killedAt)
    worker.kill()
    expect((await worker.ended).signal).toBe('SIGKILL')
    acknowledged.push(...worker.acknowledged)
    const archive = await Archive.open(directory)
    await expectKept(archive, acknowledged, `round ${round} killed at ${killedAt}`)
    await archive.close()
  }
})
