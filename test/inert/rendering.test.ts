import { expect, test } from 'vitest'
import { Host } from '../mcp/host.ts'
import { Agents } from '../server/handoff/agents.ts'
import { CORPUS, findings } from './corpus.ts'
import { stored, stringsIn, USER } from './stored.ts'

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

const TEXTS = Object.entries(CORPUS).map(([name, text]) => ({ name, text }))
const overHttp = TEXTS.map(each => ({ ...each, door: 'http', era: 'legacy' }) as const)
const overStdio = TEXTS.map(each => ({ ...each, door: 'stdio', era: 'auto' }) as const)

test.each([...overHttp, ...overStdio])(
  '[INERT-2] $name is quoted data in every result and resource of MCP over $door',
  async ({ text, door, era }) => {
    const agents = await Agents.start()
    const id = await stored(agents, text)
    const host = await Host.connect(agents.world, 'tim', 'tech', { door, era })
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
