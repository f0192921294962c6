import { generateText, stepCountIs } from 'ai'
import { expect, test } from 'vitest'
import { prepareContext, selfsameTools } from '../../client/adapters/ai.ts'
import { deskOf } from '../handoff/desk.ts'
import { World } from '../server/support/world.ts'
import { scripted } from './scripted-model.ts'

test('[ADP-1] with the AI SDK each step is told what is known of the user by then, within the budget', async () => {
  const world = await World.start()
  const [ann, ben] = [await deskOf(world, 'ann', 'triage'), await deskOf(world, 'ben', 'triage')]
  await ben.user('u_1').observe({ 'need.issue': 'login_fails' })
  const observations = [{ field: 'need.urgency', value: 'high' }]
  const model = scripted({ observe: { user: 'u_1', observations } })
  const { text } = await generateText({
    model,
    prompt: 'Hello',
    tools: selfsameTools(ann),
    prepareStep: prepareContext({ desk: ann, user: 'u_1', tokens: 300, system: 'Be kind.' }),
    stopWhen: stepCountIs(3),
  })
  expect(text).toBe('done')
  const told = model.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt.filter(({ role }) => role === 'system')))
  expect(told[0]).toContain('Be kind.')
  expect(told[0]).toContain('need.issue')
  expect(told[0]).toContain('login_fails')
  expect(told[0]).not.toContain('need.urgency')
  expect(told[1]).toContain('need.urgency')
  expect((await ben.user('u_1').model()).get('need.urgency')?.value).toBe('high')
})

test('[ADP-1] the AI SDK gives the model the tools of its desk, and refusals that say what to do', async () => {
  const world = await World.start()
  const bill = await deskOf(world, 'bill', 'billing')
  const model = scripted({ observe: { user: 'u_1', observations: [{ field: 'emotion.state', value: 'calm' }] } })
  await generateText({ model, prompt: 'Hi', tools: selfsameTools(bill, ['observe']), stopWhen: stepCountIs(2) })
  const [first, second] = model.doGenerateCalls
  expect(first?.tools?.map(({ name }) => name)).toEqual(['observe'])
  expect(JSON.stringify(first?.tools)).not.toContain('emotion')
  expect(JSON.stringify(second?.prompt)).toContain('field_unavailable: ')
})
