import { parseArgs } from 'node:util'
import { calibration } from './calibration.ts'
import { consoleBench } from './console/console.ts'
import { fidelity } from './fidelity/fidelity.ts'
import { handoff } from './handoff/handoff.ts'
import { model } from './model.ts'
import { replica } from './replica/replica.ts'
import { type Outcome, printOutcome, UsageError, writeJson } from './report.ts'

interface Options {
  readonly data: string
  readonly dialogues: string
  readonly quick: boolean
}

const BENCHES: Readonly<Record<string, (options: Options) => Outcome | Promise<Outcome>>> = {
  calibration: ({ data, quick }) => calibration(data, quick),
  model: ({ quick }) => model(quick),
  handoff: ({ quick }) => handoff(quick),
  replica: ({ quick }) => replica(quick),
  fidelity: ({ dialogues, quick }) => fidelity(dialogues, quick),
  console: ({ quick }) => consoleBench(quick),
}
const NAMES = Object.keys(BENCHES)
const DATA = '../shared/data/crowd/crowd_bluebirds.jsonl'
const DIALOGUES = '../shared/data/sgd/sgd_dev.jsonl'

async function main(): Promise<number> {
  const { values, positionals } = readArguments()
  const [name] = positionals
  if (positionals.length > 1) throw new UsageError(`One bench at a time, or none for all: ${NAMES.join(', ')}.`)
  if (name !== undefined && !NAMES.includes(name))
    throw new UsageError(`No bench "${name}". Benches: ${NAMES.join(', ')}.`)
  const outcomes: Outcome[] = []
  for (const each of name === undefined ? NAMES : [name]) outcomes.push(await run(each, values))
  if (values.json !== undefined)
    writeJson(
      values.json,
      name ?? 'all',
      outcomes.flatMap(outcome => outcome.rows),
    )
  return outcomes.every(outcome => outcome.requirements.every(requirement => requirement.met)) ? 0 : 1
}

async function run(name: string, options: Options): Promise<Outcome> {
  const bench = BENCHES[name]
  if (!bench) throw new UsageError(`No bench "${name}".`)
  const outcome = await bench(options)
  printOutcome(name, outcome)
  return outcome
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        data: { type: 'string', default: DATA },
        dialogues: { type: 'string', default: DIALOGUES },
        quick: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}
