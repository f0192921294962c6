import { Agent, Runner, setTracingDisabled } from '@openai/agents'
import { expect, test } from 'vitest'
import { selfsameHandoff, selfsameTools } from '../../client/adapters/openai-agents.ts'
import type { Work } from '../../client/work.ts'
import { deskOf } from '../handoff/desk.ts'
import { World } from '../server/support/world.ts'
import { calls, Scripted, says } from './scripted-agent.ts'

setTracingDisabled(true)

test('[ADP-2] a handoff of the OpenAI Agents SDK gives the receiver its context, only its tools and no conversation', async () => {
  const world = await World.start()
  const [ann, bill] = [await deskOf(world, 'ann', 'triage'), await deskOf(world, 'bill', 'billing')]
  const held = await ann.user('u_1').start({ intent: 'I was charged twice.' })
  const observations = [
    { field: 'need.issue', value: 'duplicate_charge' },
    { field: 'emotion.state', value: 'angry' },
  ]
  const triageModel = new Scripted(
    calls('observe', { user: 'u_1', observations }),
    calls('transfer_to_Billing', { reason: 'A refund is needed.', next: 'Refund one charge.' }),
  )
  const billingModel = new Scripted(says('Refunded.'))
  const billing = new Agent({
    name: 'Billing',
    model: billingModel,
    tools: selfsameTools(bill, ['observe', 'complete']),
  })
  let taken: Work | undefined
  const toBilling = selfsameHandoff({
    agent: billing,
    receiver: bill,
    work: () => held,
    onAccepted: work => {
      taken = work
    },
  })
  const tools = selfsameTools(ann, ['observe', 'get_context'])
  const triage = new Agent({ name: 'Triage', model: triageModel, tools, handoffs: [toBilling] })
  const result = await new Runner().run(triage, 'I AM FURIOUS, I was charged twice!')
  expect(result.finalOutput).toBe('Refunded.')
  const [request] = billingModel.asked
  const read = JSON.stringify(request?.input)
  for (const told of ['I was charged twice.', 'duplicate_charge', 'A refund is needed.', 'Refund one charge.'])
    expect(read).toContain(told)
  expect(read).toContain('Ask the user only for: need.order, identity.verified, billing.plan.')
  for (const hidden of ['FURIOUS', 'angry', 'emotion']) expect(JSON.stringify(request)).not.toContain(hidden)
  expect(request?.tools.map(each => ('name' in each ? each.name : ''))).toEqual(['observe', 'complete'])
  expect(taken?.verifies()).toBe(true)
  expect(taken?.envelope.sections.find(({ name }) => name === 'reason')?.body).toBe('A refund is needed.')
})
