import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { scratch, selfsame } from '../process/program.ts'

test('[CLI-14] the demo shows contradiction, decay, what each role sees, an echo and a correction, and ends by itself', async () => {
  const program = selfsame(['demo'])
  expect(await program.ended, program.errors).toEqual({ code: 0, signal: null })
  for (const shown of [
    /emotion\.state = "frustrated" {2}fading/,
    /expertise\.level = "high" {2}fresh, contested/,
    /billing +sees 4 beliefs/,
    /outcome: echo; confidence (0\.\d+) before, \1 after/,
    /is told at once: expertise\.level = moderate/,
    /tech said "low": held/,
    /need\.issue: "unauthorized_recurring_charge" \(sure/,
  ])
    expect(program.output).toMatch(shown)
  expect(program.output.split('billing  sees')[1]?.split('3 ·')[0]).not.toContain('emotion')
})

const report = z.strictObject({
  bench: z.literal('model'),
  commit: z.string().nullable(),
  machine: z.looseObject({ node: z.string() }),
  rows: z
    .array(
      z.strictObject({
        case: z.string(),
        metric: z.string(),
        ours: z.number(),
        peer: z.string(),
        theirs: z.number(),
        ratio: z.number(),
      }),
    )
    .min(1),
})

test('[CLI-15] a bench writes its rows, with commit and machine, to the file it is given', async () => {
  const file = join(scratch(), 'model.json')
  const program = selfsame(['bench', 'model', '--quick', '--json', file])
  await program.ended
  const { rows } = report.parse(JSON.parse(readFileSync(file, 'utf8')))
  for (const { ours, theirs, ratio } of rows) expect(ratio).toBeCloseTo(ours / theirs, 9)
})

test('[CLI-16] an unknown bench is refused with the ones there are', async () => {
  const program = selfsame(['bench', 'nothing'])
  expect(await program.ended).toEqual({ code: 2, signal: null })
  expect(program.errors).toContain('calibration, model, handoff')
})
