import { atLeast, compared, type Outcome, type Requirement, type Row } from '../report.ts'
import { BenchServer } from '../server.ts'
import { deskOf } from './desk.ts'
import { type Dialogue, NAMINGS, type Naming, nameIn, readDialogues } from './dialogue.ts'
import { BUDGETS, replay, type Taken } from './replay.ts'
import { type Finds, lastWrites, nothing, tailOf, within } from './rivals.ts'

/** In a quick run, one dialogue of so many. */
const EVERY = 4
const CONFIDENT = 0.8
const BUDGET = 500
const PRECISION = 0.9
const COVERAGE = 0.8

/** Does the next agent have what the user already said, and is what it would fill in for them right? */
export async function fidelity(path: string, quick: boolean): Promise<Outcome> {
  const dialogues = readDialogues(path)
  const played = quick ? dialogues.filter((_, i) => i % EVERY === 0) : dialogues
  const outcomes: Outcome[] = []
  for (const naming of NAMINGS) outcomes.push(outcomeOf(naming, played, await takenBy(dialogues, played, naming)))
  return {
    rows: outcomes.flatMap(({ rows }) => rows),
    requirements: outcomes.flatMap(({ requirements }) => requirements),
  }
}

async function takenBy(all: readonly Dialogue[], played: readonly Dialogue[], naming: Naming): Promise<Taken[]> {
  const server = new BenchServer(deskOf(all, naming))
  try {
    await server.start()
    return await replay(server, played, naming)
  } finally {
    await server.stop()
    server.remove()
  }
}

function outcomeOf(naming: Naming, dialogues: readonly Dialogue[], taken: readonly Taken[]): Outcome {
  const found = BUDGETS.map(tokens => ({ tokens, ...findings(naming, taken, tokens) }))
  const ours = prefilled(naming, taken, ({ beliefs }, field) => {
    const belief = beliefs.get(field)
    return belief && belief.confidence >= CONFIDENT ? belief.value : undefined
  })
  const theirs = prefilled(naming, taken, ({ dialogue, handover }, field) =>
    lastWrites(dialogue, handover, naming).get(field),
  )
  return {
    rows: [
      ...found.flatMap(({ tokens, needed, missed }) => missing(`${naming}, ${tokens} tokens`, needed, missed)),
      ...repeats(naming, dialogues.length, found),
      ...prefills(naming, ours, theirs),
    ],
    requirements: naming === 'ofield' ? requirementsOf(found, ours) : [],
  }
}

const PEERS = ['no context', 'tail of the transcript', 'last write wins'] as const
type Peer = (typeof PEERS)[number]
type Missed = Readonly<Record<'ours' | Peer, number>>

interface Findings {
  readonly needed: number
  readonly missed: Missed
}

function findings(naming: Naming, taken: readonly Taken[], tokens: number): Findings {
  const missed = { ours: 0, 'no context': 0, 'tail of the transcript': 0, 'last write wins': 0 }
  let needed = 0
  for (const each of taken) {
    const { dialogue, handover } = each
    const finders: Readonly<Record<keyof Missed, Finds>> = {
      ours: inContext(each, tokens),
      'no context': nothing,
      'tail of the transcript': tailOf(dialogue, handover, tokens),
      'last write wins': within(lastWrites(dialogue, handover, naming), tokens),
    }
    for (const parameter of handover.needed) {
      needed++
      for (const who of Object.keys(missed) as (keyof Missed)[])
        if (!finders[who](nameIn(naming, parameter), parameter.value)) missed[who]++
    }
  }
  return { needed, missed }
}

function inContext({ contexts }: Taken, tokens: number): Finds {
  const lines = contexts.find(each => each.tokens === tokens)?.text.split('\n') ?? []
  return (field, value) => lines.some(line => line.startsWith(`- ${field}: `) && quotedIn(line).includes(value))
}

const quotedIn = (line: string): unknown[] => [...line.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => JSON.parse(text))

interface Prefilled {
  readonly right: number
  readonly wrong: number
  readonly needed: number
}

type Offered = (taken: Taken, field: string) => unknown

/** Of what a successor's calls took: known elsewhere and still so, or known and by now something else. */
function prefilled(naming: Naming, taken: readonly Taken[], offered: Offered): Prefilled {
  let right = 0
  let wrong = 0
  let needed = 0
  for (const each of taken) {
    const changed = each.handover.other.filter(({ why }) => why === 'changed')
    needed += each.handover.needed.length
    for (const parameter of [...each.handover.needed, ...changed]) {
      const value = offered(each, nameIn(naming, parameter))
      if (value === undefined || value === null) continue
      if (value === parameter.value) right++
      else wrong++
    }
  }
  return { right, wrong, needed }
}

const missing = (name: string, needed: number, missed: Missed): Row[] =>
  PEERS.map(peer =>
    compared({
      case: name,
      metric: 'share of needed values missing',
      ours: missed.ours / needed,
      peer,
      theirs: missed[peer] / needed,
    }),
  )

const repeats = (
  naming: Naming,
  dialogues: number,
  found: readonly (Findings & { readonly tokens: number })[],
): Row[] =>
  found
    .filter(({ tokens }) => tokens === BUDGET)
    .flatMap(({ missed }) =>
      PEERS.map(peer =>
        compared({
          case: `${naming}, ${BUDGET} tokens`,
          metric: 'repeats per dialogue',
          ours: missed.ours / dialogues,
          peer,
          theirs: missed[peer] / dialogues,
        }),
      ),
    )

const precision = ({ right, wrong }: Prefilled): number => right / (right + wrong)
const coverage = ({ right, needed }: Prefilled): number => right / needed

const prefills = (naming: Naming, ours: Prefilled, theirs: Prefilled): Row[] => {
  const peer = 'last write wins'
  const name = `${naming}, confidence ≥ ${CONFIDENT}`
  return [
    compared({
      case: name,
      metric: 'share of prefills wrong',
      ours: 1 - precision(ours),
      peer,
      theirs: 1 - precision(theirs),
    }),
    compared({
      case: name,
      metric: 'share of needed not offered',
      ours: 1 - coverage(ours),
      peer,
      theirs: 1 - coverage(theirs),
    }),
  ]
}

function requirementsOf(found: readonly (Findings & { readonly tokens: number })[], ours: Prefilled): Requirement[] {
  const at = found.find(({ tokens }) => tokens === BUDGET)
  if (!at) throw new Error(`no budget of ${BUDGET}`)
  return [
    atLeast(`Needed values found in ${BUDGET} tokens, of ${at.needed}`, at.needed - at.missed.ours, at.needed),
    atLeast(`Prefills that are right, at confidence ≥ ${CONFIDENT}`, precision(ours), PRECISION),
    atLeast(`Needed values offered at confidence ≥ ${CONFIDENT}`, coverage(ours), COVERAGE),
  ]
}
