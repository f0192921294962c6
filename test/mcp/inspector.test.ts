import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { FETCH_WITHIN } from '../fetched.ts'
import { ROOT } from '../server/process/program.ts'
import { World } from '../server/support/world.ts'
import { inspector } from './inspector.ts'

const MAIN = join(ROOT, 'dist/server/cli/main.js')

const answered = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  structuredContent: z.record(z.string(), z.unknown()).default({}),
  isError: z.boolean().default(false),
})

let inspect: Awaited<ReturnType<typeof inspector>>
beforeAll(async () => {
  inspect = await inspector()
}, FETCH_WITHIN)

type Door = 'stdio' | 'http'

/** Where the inspector finds us, as an agent in a role: `ann:triage`. */
async function targetOf(world: World, door: Door, who: string): Promise<string[]> {
  const [agent = '', role = ''] = who.split(':')
  const token = await world.token(agent, role)
  if (door === 'http') return [`${world.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
  return [process.execPath, MAIN, 'mcp', '-e', `SELFSAME_URL=${world.url}`, '-e', `SELFSAME_TOKEN=${token}`]
}

const argsOf = (input: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(input).flatMap(([key, value]) => [
    '--tool-arg',
    `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ])

test.each(['stdio', 'http'] as const)(
  '[MCP-10] over %s the inspector finds no fault in the list of tools, and calls every one of them',
  async door => {
    const world = await World.start()
    const called = new Set<string>()
    const call = async (who: string, tool: string, input: Readonly<Record<string, unknown>> = {}) => {
      const args = ['--method', 'tools/call', '--tool-name', tool, ...argsOf(input)]
      const { output, errors } = await inspect([...(await targetOf(world, door, who)), ...args])
      if (output === '') throw new Error(errors)
      const { structuredContent, isError } = answered.parse(JSON.parse(output))
      expect(isError, `${tool}: ${output}`).toBe(false)
      called.add(tool)
      return structuredContent
    }
    const user = 'u_7'
    const { work } = await call('ann:triage', 'start_work', { user, words: 'I was charged twice.' })
    const observations = [{ field: 'need.issue', value: 'duplicate_charge' }]
    await call('ann:triage', 'observe', { user, observations, work })
    expect(await call('ann:triage', 'read_model', { user })).toMatchObject({ beliefs: [{ value: 'duplicate_charge' }] })
    expect(await call('ann:triage', 'get_context', { user })).toMatchObject({
      text: expect.stringContaining('duplicate'),
    })
    await call('ann:triage', 'explain_belief', { user, field: 'need.issue' })
    await call('ann:triage', 'update_thread', { work, thread: { goal: 'Refund' } })
    await call('ann:triage', 'checkpoint', { work, note: 'checked' })
    const { handoff } = await call('ann:triage', 'handoff', { work, to: 'billing', reason: 'yours' })
    expect(await call('bill:billing', 'list_offers')).toMatchObject({ offers: [{ handoff }] })
    const taken = await call('bill:billing', 'accept_handoff', { handoff })
    await call('bill:billing', 'complete', { work: taken['work'] })
    await call('pia:human', 'correct', { user, field: 'need.issue', value: 'unauthorized_recurring_charge' })
    const target = await targetOf(world, door, 'ann:triage')
    const listed = await inspect([...target, '--method', 'tools/list', '--strict'])
    expect(listed.code, listed.errors).toBe(0)
    const { tools } = answered.parse(JSON.parse(listed.output))
    expect(new Set(tools.map(({ name }) => name))).toEqual(called)
  },
  120_000,
)
