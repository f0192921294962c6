import { expect, test } from 'vitest'
import { Host } from '../mcp/host.ts'
import { Agents } from '../server/handoff/agents.ts'
import { CORPUS, findings } from './corpus.ts'

/** Every string of a value, keys included: what a host puts into a prompt. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [key, ...stringsIn(each)])
}

const USER = 'u_1'

/** Stores a hostile text wherever text can be stored, and hands the work on. */
async function stored(agents: Agents, text: string): Promise<string> {
  const ann = await agents.caller('ann:triage')
  await ann.observe(
    USER,
    { field: 'need.goal', value: text, why: text, confidence: 0.9 },
    { field: 'need.issue', value: text.slice(0, 200) },
    { field: 'technical.environment', value: { [text.slice(0, 60)]: text } },
    { field: 'technical.tried', value: [text.slice(0, 200)] },
  )
  const started = await agents.start('ann:triage', USER, {
    intent: { words: text, goal: text },
    constraints: [text],
    exclusions: [text],
  })
  const held = { handoff: started.body.handoff.id, epoch: 1 }
  const thread = {
    goal: text,
    approach: text,
    assumptions: [text],
    deadEnds: [text],
    fragility: 0.9,
    links: [{ field: 'need.goal', why: text }],
  }
  await agents.act('ann:triage', held.handoff, 'checkpoint', {
    epoch: 1,
    note: text,
    state: { [text.slice(0, 60)]: text },
    threads: [thread],
    validations: [{ what: text }],
    environment: [{ text }],
    agreements: [{ text }],
    decisions: [{ what: text, why: text }],
  })
  const to = { role: 'tech' }
  const { body } = await agents.post('ann:triage', '/v1/handoffs', {
    ...held,
    to,
    reason: text,
    next: text,
    words: text,
    tokens: 20_000,
  })
  if (!body.id) throw new Error(JSON.stringify(body))
  return body.id
}

test.each(Object.entries(CORPUS))('[INERT-1] %s is quoted data in contexts, narratives and briefs', async (_, text) => {
  const agents = await Agents.start()
  const id = await stored(agents, text)
  const tech = await agents.caller('tim:tech')
  const markdown = JSON.parse((await tech.get(`/v1/users/${USER}/context?tokens=8000`)).text).text
  const asJson = JSON.parse((await tech.get(`/v1/users/${USER}/context?tokens=8000&format=json`)).text).context
  const { narrative } = (await agents.act('tim:tech', id, 'accept')).body
  expect(narrative).toContain('The user said: "')
  for (const rendering of [markdown, narrative, ...stringsIn(asJson)])
    expect(findings(rendering), rendering).toEqual([])
})

test.each(Object.entries(CORPUS))(
  '[INERT-2] %s is quoted data in every result and resource of MCP',
  async (_, text) => {
    const agents = await Agents.start()
    const id = await stored(agents, text)
    const host = await Host.connect(agents.world, 'tim', 'tech', { door: 'http', era: 'legacy' })
    const results = [
      await host.call('get_context', { user: USER, tokens: 8_000 }),
      await host.call('read_model', { user: USER }),
      await host.call('explain_belief', { user: USER, field: 'need.goal' }),
      await host.call('list_offers'),
      await host.call('accept_handoff', { handoff: id }),
    ]
    expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, false])
    const resources = [
      await host.read(`selfsame://users/${USER}/model`),
      await host.read(`selfsame://handoffs/${id}/brief`),
    ]
    const renderings = [...results.flatMap(({ text, data }) => [text, ...stringsIn(data)]), ...resources]
    for (const rendering of renderings) expect(findings(rendering), rendering).toEqual([])
  },
)

test('[INERT-3] the checks of the corpus find each of its texts when it is not quoted', () => {
  const unnoticed = Object.entries(CORPUS).filter(([, text]) => findings(`- need.goal: ${text}`).length === 0)
  expect(unnoticed.map(([name]) => name)).toEqual([])
})
