import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ROOT, scratch, selfsame } from '../server/process/program.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const [, SECTION = ''] = README.split('## What would it have saved you?')
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(SECTION)?.[1] ?? `README.md has no ${language} block there`

const questions = z.strictObject({ repeats: z.int(), otherwise: z.int(), news: z.int() })
const shape = z.strictObject({
  lines: z.int(),
  users: z.int(),
  handoffs: z.int(),
  from: z.number().nullable(),
  to: z.number().nullable(),
  questions,
  fields: z.record(z.string(), questions),
  leftOut: z.strictObject({ count: z.int(), first: z.array(z.strictObject({ line: z.int(), why: z.string() })) }),
  putAway: z.int(),
})

async function replay(log: string, ...flags: string[]) {
  const file = join(scratch(), 'log.jsonl')
  writeFileSync(file, log)
  const program = selfsame(['replay', file, ...flags])
  const { code } = await program.ended
  return { code, output: program.output, errors: program.errors.replaceAll(file, 'LOG') }
}

const counted = async (log: string, ...flags: string[]) => {
  const { output, errors } = await replay(log, '--json', ...flags)
  expect(errors).toBe('')
  return shape.parse(JSON.parse(output))
}

const DESK = join(ROOT, 'model/published/desk.json')
const T = Date.UTC(2026, 0, 5, 9)
const line = (type: string, role: string, more: object = {}): string =>
  JSON.stringify({ type, at: T, user: 'u_1', role, ...more })
const heard = (role: string, field: string, value: unknown, more: object = {}): string =>
  line('observation', role, { field, value, basis: 'heard', ...more })
const log = (...lines: string[]): string => lines.join('\n')

test('[RPL-1] the log in README.md, whose count was worked out by hand, prints what README.md says, with and without a schema', async () => {
  const { code, output } = await replay(block('jsonl'))
  expect(output.trim()).toBe(block('text').trim())
  expect(code).toBe(0)
  expect((await replay(block('jsonl'), '--config', DESK)).output).toBe(output)
})

test('[RPL-2] a question is counted once a holder and field: its answer, and asking again, belong to it', async () => {
  const found = await counted(
    log(
      heard('triage', 'need.order', 'A17'),
      line('ask', 'triage', { field: 'need.order' }),
      line('handoff', 'billing'),
      line('ask', 'billing', { field: 'need.order' }),
      line('ask', 'billing', { field: 'need.order' }),
      heard('billing', 'need.order', 'A17'),
      heard('billing', 'need.order', 'A17'),
      heard('triage', 'need.order', 'A17'),
      line('handoff', 'tech'),
      line('observation', 'tech', { field: 'need.order', value: 'A17', basis: 'seen' }),
      heard('tech', 'need.order', 'A17'),
    ),
  )
  expect(found).toMatchObject({ lines: 11, handoffs: 2, questions: { repeats: 1, otherwise: 0, news: 0 } })
})

test('[RPL-3] what was asked for as known counts as known otherwise when the user then says another value', async () => {
  const found = await counted(
    log(
      heard('triage', 'need.order', 'A17'),
      heard('triage', 'need.tags', ['a', 'b']),
      line('handoff', 'billing'),
      line('ask', 'billing', { field: 'need.order' }),
      heard('billing', 'need.order', 'A18'),
      heard('billing', 'need.tags', ['b']),
      line('handoff', 'tech'),
      heard('tech', 'need.tags', ['b', 'c']),
    ),
  )
  expect(found.fields).toEqual({
    'need.tags': { repeats: 1, otherwise: 0, news: 1 },
    'need.order': { repeats: 0, otherwise: 1, news: 0 },
  })
})

test('[RPL-4] with a schema, what the role may not read and what has faded has to be asked for', async () => {
  const found = await counted(
    log(
      heard('billing', 'billing.plan', 'pro'),
      heard('billing', 'need.goal', 'money  back'),
      line('observation', 'triage', { field: 'emotion.state', value: 'angry', basis: 'heard', confidence: 0.5 }),
      line('handoff', 'triage'),
      heard('triage', 'need.goal', 'Money back'),
      line('ask', 'human', { field: 'billing.plan' }),
      line('handoff', 'human', { at: T + 86_400_000 }),
      line('ask', 'human', { field: 'emotion.state', at: T + 86_400_000 }),
      line('ask', 'human', { field: 'billing.plan', at: T + 86_400_000 }),
    ),
    '--config',
    DESK,
  )
  expect(found.fields).toEqual({
    'need.goal': { repeats: 1, otherwise: 0, news: 0 },
    'billing.plan': { repeats: 1, otherwise: 0, news: 0 },
    'emotion.state': { repeats: 0, otherwise: 0, news: 1 },
  })
  const hidden = log(
    heard('billing', 'billing.plan', 'pro'),
    line('handoff', 'triage'),
    line('ask', 'triage', { field: 'billing.plan' }),
  )
  expect((await counted(hidden, '--config', DESK)).questions).toEqual({ repeats: 0, otherwise: 0, news: 1 })
  expect((await counted(hidden)).questions).toEqual({ repeats: 1, otherwise: 0, news: 0 })
})

test('[RPL-5] every mistake is named with its line and what is allowed there, nothing is counted, and the code is 2', async () => {
  const { code, output, errors } = await replay(
    log(
      line('handoff', 'billing'),
      '{"type":"handoff"',
      line('question', 'billing'),
      '',
      line('ask', 'billing', { field: 'need order' }),
      line('handoff', 'billing', { at: 'yesterday' }),
      line('handoff', 'x'.repeat(70_000)),
    ),
  )
  expect([code, output]).toEqual([2, ''])
  expect(errors.trim().split('\n')).toEqual([
    "LOG can't be replayed:",
    '  line 2: this is not a JSON object',
    '  line 3: type: expected "observation", "handoff" or "ask"',
    '  line 5: field: expected a field name such as "need.issue"',
    '  line 6: at: expected milliseconds since 1970 or an ISO 8601 time with an offset',
    '  line 7: longer than 65536 characters',
  ])
  const role = await replay(line('handoff', 'nobody'), '--config', DESK)
  expect(role.errors).toContain('line 1: No role "nobody". Roles: triage, billing')
  expect([role.code, (await replay('')).code]).toEqual([2, 2])
  const bare = await replay(line('handoff', 'Some_Role:2'))
  expect([bare.code, bare.output.split('\n')[1]]).toEqual([0, expect.stringContaining('there is nothing to count')])
  const missing = selfsame(['replay', 'nothing.jsonl'])
  expect(await missing.ended).toMatchObject({ code: 2 })
  expect(missing.errors).toBe("nothing.jsonl can't be read.\n")
})

test('[RPL-6] a line that the schema does not take is left out and listed with its number, the rest counts, and the code is 1', async () => {
  const { code, output } = await replay(
    log(
      heard('triage', 'billing.plan', 'pro'),
      heard('billing', 'billing.plan', 'platinum'),
      heard('billing', 'mood.today', 'good'),
      heard('billing', 'billing.plan', 'pro'),
      line('handoff', 'human'),
      line('ask', 'human', { field: 'billing.plan' }),
    ),
    '--config',
    DESK,
  )
  expect(code).toBe(1)
  expect(output).toContain('1 of them (100 %) would have been avoided')
  expect(output).toMatch(
    /3 lines left out:\n {2}line 1: .*billing\.plan.*\n {2}line 2: .*\(bad_value\)\n {2}line 3: the schema has no field "mood.today"/,
  )
})
