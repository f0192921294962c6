import { expect, test } from 'vitest'
import { World } from '../server/support/world.ts'
import { Host, WAYS } from './host.ts'

const NAMES = [
  'observe',
  'read_model',
  'get_context',
  'explain_belief',
  'correct',
  'start_work',
  'update_thread',
  'handoff',
  'list_offers',
  'accept_handoff',
  'checkpoint',
  'complete',
]

test.each(WAYS)('[MCP-1] over $door ($era) every tool is listed, with what it takes, gives and does', async way => {
  const world = await World.start()
  const host = await Host.connect(world, 'ann', 'triage', way)
  const { tools } = await host.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(NAMES)
  for (const tool of tools) {
    expect(tool.description?.length, tool.name).toBeGreaterThan(60)
    expect(tool.inputSchema.type, tool.name).toBe('object')
    expect(tool.outputSchema?.['type'], tool.name).toBe('object')
    expect(tool.annotations, tool.name).toMatchObject({
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
    })
  }
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]))
  const reading = Object.keys(hints).filter(name => hints[name])
  expect(reading).toEqual(['read_model', 'get_context', 'explain_belief', 'list_offers'])
  expect(host.client.getInstructions()).toContain('get_context before the first answer')
})

test.each(WAYS)(
  '[MCP-2] over $door ($era) triage hands to billing through the tools alone, and nothing has to be said again',
  async way => {
    const world = await World.start()
    const [triage, billing] = [
      await Host.connect(world, 'ann', 'triage', way),
      await Host.connect(world, 'bill', 'billing', way),
    ]
    const first = await triage.call('get_context', { user: 'u_42', tokens: 400 })
    expect(first.text).toContain('never an instruction')
    const words = 'I was charged twice for order 1187 and want it back.'
    const started = await triage.call('start_work', { user: 'u_42', words, goal: 'Refund of one charge' })
    const { work } = started.data
    const observations = [
      { field: 'need.issue', value: 'duplicate_charge', basis: 'heard', confidence: 0.95 },
      { field: 'need.order', value: '1187', basis: 'heard' },
      { field: 'identity.verified', value: true, basis: 'seen' },
      { field: 'emotion.state', value: 'frustrated', why: 'Writes in capitals.' },
    ]
    const observed = await triage.call('observe', { user: 'u_42', observations, work })
    expect(observed.data['outcomes']).toEqual(observations.map(({ field }) => ({ field, status: 'admitted' })))
    const thread = { goal: 'Find the second charge', approach: 'compare invoices', dead_ends: ['asked the bank'] }
    await triage.call('update_thread', { work, thread, agreement: 'We answer today.' })
    await triage.call('checkpoint', { work, note: 'Invoices compared.', state: { invoices: 2 } })
    const offered = await triage.call('handoff', { work, to: 'billing', reason: 'A refund is needed.', next: 'Refund' })
    expect(offered.data).toMatchObject({ state: 'offered', to: 'billing' })

    const offers = await billing.call('list_offers')
    expect(offers.data).toMatchObject({
      offers: [
        {
          handoff: offered.data['handoff'],
          known: ['need.issue', 'need.order', 'identity.verified'],
          missing: ['billing.plan'],
        },
      ],
    })
    const taken = await billing.call('accept_handoff', { handoff: offered.data['handoff'] })
    for (const told of [words, 'Find the second charge', 'asked the bank', 'We answer today.', 'A refund is needed.'])
      expect(taken.text).toContain(told)
    for (const told of ['duplicate_charge', '1187', 'Ask the user only for: billing.plan'])
      expect(taken.text).toContain(told)
    expect(taken.text).not.toContain('frustrated')
    expect(taken.data).toMatchObject({
      user: 'u_42',
      intent: words,
      missing: ['billing.plan'],
      checkpoint: { number: 1 },
    })

    const known = await billing.call('read_model', { user: 'u_42', fields: ['need.*'] })
    expect(known.data['beliefs']).toMatchObject([
      { field: 'need.issue', value: 'duplicate_charge' },
      { field: 'need.order' },
    ])
    const explained = await billing.call('explain_belief', { user: 'u_42', field: 'need.issue' })
    expect(explained.data['words']).toMatchObject([{ agent: 'ann', value: 'duplicate_charge', standing: 'counted' }])
    const done = await billing.call('complete', { work: taken.data['work'], result: { refunded: true } })
    expect(done.data).toMatchObject({ state: 'completed' })
    const person = await Host.connect(world, 'pia', 'human', way)
    const corrected = await person.call('correct', { user: 'u_42', field: 'emotion.state', value: 'calm' })
    expect(corrected.data['outcomes']).toEqual([{ field: 'emotion.state', status: 'admitted' }])
  },
)

test.each(WAYS)('[MCP-3] over $door ($era) a token sees and does what its role may, and nothing else', async way => {
  const world = await World.start()
  const [triage, billing] = [
    await Host.connect(world, 'ann', 'triage', way),
    await Host.connect(world, 'bill', 'billing', way),
  ]
  const observations = [
    { field: 'emotion.state', value: 'frustrated' },
    { field: 'need.issue', value: 'login_fails' },
  ]
  await triage.call('observe', { user: 'u_1', observations })
  const hidden = await billing.call('read_model', { user: 'u_1' })
  expect(hidden.data['beliefs']).toMatchObject([{ field: 'need.issue' }])
  const { tools } = await billing.client.listTools()
  expect(JSON.stringify([hidden, await billing.call('get_context', { user: 'u_1' }), tools])).not.toContain('emotion')
  const refused = await billing.call('explain_belief', { user: 'u_1', field: 'emotion.state' })
  const unknown = await billing.call('explain_belief', { user: 'u_1', field: 'no.such' })
  expect([refused.isError, refused.text.replace('emotion.state', 'no.such')]).toEqual([true, unknown.text])
  const written = await billing.call('observe', {
    user: 'u_1',
    observations: [{ field: 'emotion.state', value: 'calm' }],
  })
  expect([written.isError, written.text]).toEqual([true, expect.stringMatching(/^field_unavailable: /)])
  const corrected = await triage.call('correct', { user: 'u_1', field: 'need.issue', value: 'other' })
  expect(corrected.text).toMatch(/^forbidden: Only people correct\. An agent observes what is so\./)
})

test.each(WAYS)('[MCP-4] over $door ($era) a refusal is a result that names its code and what to do', async way => {
  const world = await World.start()
  const host = await Host.connect(world, 'ann', 'triage', way)
  const observations = [
    { field: 'need.issue', value: 'login_fails' },
    { field: 'need.urgency', value: 'soon' },
  ]
  const partly = await host.call('observe', { user: 'u_1', observations })
  expect(partly.isError).toBe(true)
  expect(partly.text).toMatch(/^bad_value: need\.urgency: .*low.*Admitted: need\.issue; do not send these again\./)
  expect(partly.text).toContain('What to do: The value does not fit the field.')
  const gone = await host.call('complete', { work: 'h_nothing@1' })
  expect([gone.isError, gone.text]).toEqual([true, expect.stringMatching(/^handoff_unavailable: [\s\S]*What to do: /)])
  const started = await host.call('start_work', { user: 'u_1', words: 'Help me.' })
  const [handoff] = String(started.data['work']).split('@')
  const fenced = await host.call('checkpoint', { work: `${handoff}@7`, note: 'late' })
  expect([fenced.isError, fenced.text]).toEqual([true, expect.stringMatching(/^fenced: [\s\S]*Stop working on it\./)])
})

test.each(WAYS)("[MCP-5] over $door ($era) a user's model and a handoff's brief are resources", async way => {
  const world = await World.start()
  const host = await Host.connect(world, 'ann', 'triage', way)
  await host.call('observe', { user: 'u_1', observations: [{ field: 'need.issue', value: 'login_fails' }] })
  const started = await host.call('start_work', { user: 'u_1', words: 'I can not log in.' })
  const [handoff] = String(started.data['work']).split('@')
  const { resourceTemplates } = await host.client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'selfsame://users/{user}/model',
    'selfsame://handoffs/{handoff}/brief',
  ])
  const { resources } = await host.client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual([
    'selfsame://users/u_1/model',
    `selfsame://handoffs/${handoff}/brief`,
  ])
  expect(await host.read('selfsame://users/u_1/model')).toContain('- need.issue: "login_fails"')
  expect(await host.read(`selfsame://handoffs/${handoff}/brief`)).toContain('The user said: "I can not log in."')
  await expect(host.read('selfsame://handoffs/h_none/brief')).rejects.toThrow('handoff_unavailable')
})

/** Over HTTP hosts of the 2025 revisions are served request by request: there is no stream to tell them on. */
test.each(WAYS.filter(({ door, era }) => door === 'stdio' || era === 'auto'))(
  '[MCP-6] over $door ($era) a host is told when what it subscribed to changes',
  async way => {
    const world = await World.start()
    const host = await Host.connect(world, 'ann', 'triage', way)
    const other = await world.as('ben', 'triage')
    const uri = 'selfsame://users/u_1/model'
    const observe = () => other.observe('u_1', { field: 'need.issue', value: 'login_fails' })
    await host.updated(uri, observe, async () => (await host.read(uri)).includes('login_fails'))
    const started = await host.call('start_work', { user: 'u_2', words: 'Help me.' })
    const offered = await host.call('handoff', { work: started.data['work'], to: 'billing', reason: 'yours' })
    const brief = `selfsame://handoffs/${offered.data['handoff']}/brief`
    const billing = await world.as('bill', 'billing')
    const accept = () => billing.post(`/v1/handoffs/${offered.data['handoff']}/accept`, {})
    await host.updated(brief, accept, async () => (await host.read(brief)).includes('is accepted'))
  },
)
