import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Program, ROOT } from '../server/process/program.ts'
import { World } from '../server/support/world.ts'

const EXAMPLES = join(ROOT, 'client/examples')

/** What an example prints, run as it stands. */
async function printed(name: string): Promise<string> {
  const world = await World.start()
  const [TRIAGE, BILLING] = [await world.token('ann', 'triage'), await world.token('bill', 'billing')]
  const environment = { SELFSAME_URL: world.url, TRIAGE, BILLING }
  const program = new Program(process.execPath, [join(EXAMPLES, name), 'u_1'], { environment })
  expect(await program.ended, program.errors).toEqual({ code: 0, signal: null })
  return program.output
}

const BRIEF = [
  'of user u_1. Ask the user only for: need.order, identity.verified, billing.plan.',
  'The user said: "I was charged twice."',
  '- need.issue: "duplicate_charge"',
  '- "A refund is needed."',
  '- Next: "Refund one charge."',
]

test('[ADP-4] the example for the AI SDK: the model is told what is known, and in the next step what it has recorded', async () => {
  const [, first = '', second = ''] = (await printed('ai.mjs')).split('the model is told: ')
  for (const step of [first, second]) {
    expect(step).toContain('You are the first contact.')
    expect(step).toContain('- need.issue: "duplicate_charge"')
  }
  expect(first).not.toContain('A17')
  expect(second).toContain('- need.order: "A17"')
  expect(second).toContain('the model says: I see both charges of A17.')
})

test('[ADP-4] the example for the OpenAI Agents SDK: billing reads its brief, has its tools and nothing of the conversation', async () => {
  const [, billing = ''] = (await printed('openai-agents.mjs')).split('Billing has ')
  expect(billing).toMatch(/^observe, complete and reads: You took over/)
  for (const told of BRIEF) expect(billing).toContain(told)
  for (const hidden of ['FURIOUS', 'angry', 'emotion']) expect(billing).not.toContain(hidden)
  expect(billing).toContain('billing says: One charge is refunded.')
})

test('[ADP-4] the example for LangGraph.js: triage reads the store, quoted; billing its brief and nothing of the messages', async () => {
  const [triage = '', billing = ''] = (await printed('langgraph.mjs')).split('billing reads: ')
  expect(triage).toContain('- need.issue: "duplicate_charge" (0.90, fresh)')
  expect(triage).toContain('- emotion.state: "angry"')
  for (const told of BRIEF) expect(billing).toContain(told)
  for (const hidden of ['FURIOUS', 'angry', 'emotion']) expect(billing).not.toContain(hidden)
  expect(billing).toContain('billing says: One charge is refunded.')
})

test.each(['ai', 'openai-agents', 'langgraph'])('[ADP-5] README.md shows the example %s as it is run here', name => {
  const example = readFileSync(join(EXAMPLES, `${name}.mjs`), 'utf8')
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(`\`\`\`js\n${example}\`\`\`\n`)
})
