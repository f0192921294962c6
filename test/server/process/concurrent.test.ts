import { expect, test } from 'vitest'
import { Agent } from './agent.ts'
import { missing, sourcesOf, twice } from './exported.ts'
import { scratch } from './program.ts'
import { Serving } from './serving.ts'

const USERS = ['u_1', 'u_2', 'u_3']
const NAMES = ['ann', 'ben', 'cy']
const EACH = 120

test('[PROC-1] agents in several processes contradict each other; all read the same at one version, and nothing acknowledged is missing', async () => {
  const server = await Serving.serve(scratch())
  const agents = await Promise.all(
    NAMES.map(name => Agent.start(server, { agent: name, name, users: USERS, most: EACH })),
  )
  await Promise.all(agents.map(agent => agent.acknowledges(EACH)))
  const read = await Promise.all(agents.map(agent => agent.finish()))
  for (const user of USERS) {
    const [first, ...others] = read.map(models => steady(models.get(user)))
    expect(first).toMatchObject({ version: expect.any(String), beliefs: { 'need.issue': { evidence: EACH } } })
    for (const other of others) expect(other).toEqual(first)
  }
  const sources = await sourcesOf(server, USERS)
  expect(
    missing(
      agents.flatMap(agent => agent.acknowledged),
      sources,
    ),
  ).toEqual([])
  expect(sources.length).toBe(NAMES.length * EACH)
  expect(twice(sources)).toEqual([])
})

/** Without what fades from one moment to the next: the three read one after another. */
function steady(model: unknown): unknown {
  const fading = new Set(['asOf', 'confidence', 'uncertainty'])
  return JSON.parse(JSON.stringify(model, (key, value) => (fading.has(key) ? undefined : value)))
}
