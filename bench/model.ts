import { unwrap } from '../model/error.ts'
import type { Word } from '../model/evidence.ts'
import { defineModel, type Schema } from '../model/schema.ts'
import { type Scope, scopeOf } from '../model/scope.ts'
import { SelfModel } from '../model/self-model.ts'
import { type View, view } from '../model/view.ts'
import { hex, pick, type Random, randomFrom } from './random.ts'
import { atMost, compared, type Outcome, type Row } from './report.ts'
import { medians } from './timing.ts'

const FIELDS = 847
const HIDDEN = 10 * FIELDS
const WORDS = 3
const GROWTH = [1, 2, 4, 8] as const
const VALUES = ['never', 'rarely', 'sometimes', 'often', 'always'] as const
const NOW = Date.UTC(2026, 5, 1)
const DAY = 86_400_000
const MINUTE = 60_000

const choice = { kind: 'choice', values: VALUES, halfLife: '14d' } as const
const readable = Array.from({ length: FIELDS }, (_, i) => `profile.area${i % 40}.habit${i}`)
const hidden = Array.from({ length: HIDDEN }, (_, i) => `hidden.area${i % 40}.habit${i}`)

const schema: Schema = defineModel({
  fields: { ...Object.fromEntries(readable.map(name => [name, choice])), 'hidden.*.*': choice },
  roles: { support: { read: ['**', '!hidden.**'], write: ['**', '!hidden.**'] } },
})
const support = unwrap(schema.role('support'))
const scope: Scope = scopeOf(support)

/** What a read costs: against writing it out as JSON, as evidence grows, and beside fields that the reader can't see. */
export function model(quick: boolean): Outcome {
  const rounds = quick ? 200 : 1_000
  const outcomes = [againstJson(rounds), growth(rounds / 2), besideHidden(rounds)]
  return {
    rows: outcomes.flatMap(outcome => outcome.rows),
    requirements: outcomes.flatMap(outcome => outcome.requirements),
  }
}

function againstJson(rounds: number): Outcome {
  const self = selfModel(readable, WORDS)
  let seen: View = new Map()
  let body = {}
  let chars = 0
  const [ours = 0, building = 0, writing = 0] = medians(
    [
      round => {
        seen = read(self, round)
      },
      () => {
        body = { user: 'user-8c1f0a2e', beliefs: Object.fromEntries(seen) }
      },
      () => {
        chars += JSON.stringify(body).length
      },
    ],
    rounds,
  )
  if (seen.size !== FIELDS || chars === 0) throw new Error(`read ${seen.size} of ${FIELDS} beliefs`)
  const common = { case: `view of ${FIELDS} fields × ${WORDS} words`, metric: 'µs', ours }
  const strict = compared({ ...common, peer: 'JSON.stringify of it', theirs: writing })
  const whole = compared({ ...common, peer: 'Object.fromEntries and JSON.stringify', theirs: building + writing })
  return { rows: [strict, whole], requirements: [atMost(`${common.case} ÷ JSON.stringify`, strict.ratio, 0.6)] }
}

function growth(rounds: number): Outcome {
  const models = GROWTH.map(factor => selfModel(readable, WORDS * factor))
  const times = medians(
    models.map(self => round => {
      read(self, round)
    }),
    rounds,
  )
  const perWord = times.map((time, i) => (time * 1_000) / (models[i]?.size ?? 1))
  const [theirs = 0] = perWord
  const rows = perWord.map((ours, i) =>
    compared({ case: `evidence ×${GROWTH[i]}`, metric: 'ns per word', ours, peer: 'evidence ×1', theirs }),
  )
  return { rows, requirements: [atMost('cost per word, evidence ×8 ÷ ×1', rows.at(-1)?.ratio ?? Number.NaN, 1.5)] }
}

function besideHidden(rounds: number): Outcome {
  const models = [selfModel(readable, WORDS), selfModel([...readable, ...hidden], WORDS)]
  const again = compareHidden('view', models, () => scope, rounds)
  const first = compareHidden('first view of a new grant', models, newGrant, rounds / 10)
  return { rows: [again, first], requirements: [atMost(`${again.case} ÷ without`, again.ratio, 1.25)] }
}

const newGrant = (): Scope => scopeOf(support, { fields: ['**'] })

function compareHidden(what: string, models: readonly SelfModel[], scopeNow: () => Scope, rounds: number): Row {
  const [theirs = 0, ours = 0] = medians(
    models.map(self => round => {
      if (read(self, round, scopeNow()).size !== FIELDS) throw new Error('a view holds other fields than its scope')
    }),
    rounds,
  )
  return compared({
    case: `${what} beside ${HIDDEN} hidden fields`,
    metric: 'µs',
    ours,
    peer: 'no hidden fields',
    theirs,
  })
}

const read = (self: SelfModel, round: number, by = scope): View => view(self, by, { time: NOW + round * MINUTE })

function selfModel(names: readonly string[], words: number): SelfModel {
  const random = randomFrom(847)
  const self = new SelfModel(schema)
  for (let i = 0; i < words; i++)
    for (const name of names)
      self.add(wordOf(random, name, NOW - DAY * (28 - (28 * (i + random())) / words), self.size))
  if (self.unfit.size > 0) throw new Error(`${self.unfit.size} words did not fit`)
  return self
}

function wordOf(random: Random, field: string, time: number, seq: number): Word {
  const at = Math.floor(time)
  const interaction = `conversation-${hex(random, 12)}`
  return {
    type: 'word',
    id: `${hex(random, 8)}-${hex(random, 4)}-${hex(random, 12)}`,
    field,
    value: pick(random, VALUES),
    confidence: 0.4 + 0.59 * random(),
    trust: 0.5 + 0.5 * random(),
    rank: 0,
    basis: 'inferred',
    agent: `agent-${hex(random, 8)}`,
    role: 'support',
    interaction,
    episode: `${interaction}/1`,
    at,
    received: at + Math.floor(2_000 * random()),
    seq,
  }
}
