import { MAX_CONFIDENCE } from '../model/admission.ts'
import { believe, probability } from '../model/belief.ts'
import type { Word } from '../model/evidence.ts'
import type { FieldEvidence } from '../model/field-evidence.ts'
import { defineModel } from '../model/schema.ts'
import { SelfModel } from '../model/self-model.ts'
import { addRecords, NO_RECORD, recordsOf, type TrackRecord, trustOf } from '../model/trust.ts'
import { type Item, type Label, readCrowd } from './crowd.ts'
import { type Random, randomFrom, shuffled } from './random.ts'
import { atMost, compared, type Outcome, type Requirement, type Row } from './report.ts'
import { brier, calibrationError, type Forecast } from './score.ts'

const FIELD = 'bird.blue'
/** A label states no doubt: the annotator is sure, as far as the model lets anyone be. */
const CONFIDENCE = MAX_CONFIDENCE
const LAST_WORD = 0.9
const ASSUMED_ACCURACY = 0.65
const START = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

const schema = defineModel({
  fields: { [FIELD]: { kind: 'flag', halfLife: 'never' } },
  roles: {
    annotator: { read: ['**'], write: ['**'], confidence: { inferred: CONFIDENCE } },
    gold: { authority: 'human', read: ['**'], write: ['**'] },
  },
})

const CASES = { 'first 3': 3, 'all labels': Number.POSITIVE_INFINITY } as const
type Case = keyof typeof CASES
const OURS = ['unknown annotators', 'learned trust'] as const
const PEERS = ['last write wins', 'majority share', 'equal-weight Bayes'] as const
type Method = (typeof OURS)[number] | (typeof PEERS)[number]

const METRICS = { Brier: brier, 'calibration error': calibrationError } as const

type TrustIn = (annotator: string) => number

/** Learns on one half of the items, forecasts the other, over many splits; the same labels go to every method. */
export function calibration(dataPath: string, quick: boolean): Outcome {
  const items = readCrowd(dataPath)
  const forecasts = forecastAll(items, quick ? 20 : 60)
  return { rows: rowsOf(forecasts), requirements: requirementsOf(forecasts) }
}

type Forecasts = Map<string, Forecast[]>

const keyOf = (name: Case, method: Method): string => `${name}, ${method}`
const cases = Object.keys(CASES) as Case[]

function forecastAll(items: readonly Item[], shuffles: number): Forecasts {
  const forecasts: Forecasts = new Map()
  const records = new Map(items.map(item => [item, trackRecords(item)]))
  for (let seed = 1; seed <= shuffles; seed++) {
    const random = randomFrom(seed)
    const order = shuffled(random, items)
    const middle = order.length >> 1
    const [first, second] = [order.slice(0, middle), order.slice(middle)]
    for (const [train, test] of [
      [first, second],
      [second, first],
    ] as const) {
      const trust = learn(train.flatMap(item => [...(records.get(item) ?? [])]))
      for (const item of test) forecastItem(forecasts, random, item, trust)
    }
  }
  return forecasts
}

function forecastItem(forecasts: Forecasts, random: Random, item: Item, learned: TrustIn): void {
  const order = shuffled(random, item.labels)
  for (const name of cases) {
    const labels = order.slice(0, CASES[name])
    const note = (method: Method, probability: number) => {
      const known = forecasts.get(keyOf(name, method))
      if (known) known.push({ probability, truth: item.truth })
      else forecasts.set(keyOf(name, method), [{ probability, truth: item.truth }])
    }
    note(
      'unknown annotators',
      believed(labels, () => 1),
    )
    note('learned trust', believed(labels, learned))
    note('last write wins', labels.at(-1)?.says ? LAST_WORD : 1 - LAST_WORD)
    note('majority share', yesIn(labels) / labels.length)
    note('equal-weight Bayes', bayes(labels))
  }
}

const yesIn = (labels: readonly Label[]): number => labels.filter(label => label.says).length

function bayes(labels: readonly Label[]): number {
  const lead = 2 * yesIn(labels) - labels.length
  return 1 / (1 + ((1 - ASSUMED_ACCURACY) / ASSUMED_ACCURACY) ** lead)
}

/** What the model holds the chance of `true` to be. */
function believed(labels: readonly Label[], trust: TrustIn): number {
  const belief = believe(evidenceOf(wordsOf(labels, trust)), START + (labels.length + 1) * MINUTE)
  if (!belief) return 0.5
  const likely = probability(belief, 2)
  return belief.value === true ? likely : 1 - likely
}

function evidenceOf(words: readonly Word[]): FieldEvidence {
  const evidence = new SelfModel(schema, words).field(FIELD)
  if (!evidence) throw new Error(`the model took none of ${words.length} words`)
  return evidence
}

const wordsOf = (labels: readonly Label[], trust: TrustIn): Word[] =>
  labels.map(({ annotator, says }, i) => wordOf(i, annotator, says, trust(annotator)))

function wordOf(i: number, agent: string, value: boolean, trust: number): Word {
  const at = START + i * MINUTE
  return {
    type: 'word',
    id: `word-${i}`,
    field: FIELD,
    value,
    confidence: CONFIDENCE,
    trust,
    rank: 0,
    basis: 'inferred',
    agent,
    role: 'annotator',
    interaction: `task-${agent}`,
    episode: `task-${agent}/1`,
    at,
    received: at,
    seq: i,
  }
}

/** How each annotator of an item fared once the gold answer was given. */
function trackRecords({ labels, truth }: Item): Map<string, TrackRecord> {
  const words = wordsOf(labels, () => 1)
  const gold: Word = { ...wordOf(labels.length, 'gold', truth, 1), role: 'gold', confidence: 0.99, rank: 1 }
  return recordsOf(evidenceOf([...words, gold]))
}

function learn(entries: readonly (readonly [string, TrackRecord])[]): TrustIn {
  const records = new Map<string, TrackRecord>()
  for (const [annotator, record] of entries)
    records.set(annotator, addRecords(records.get(annotator) ?? NO_RECORD, record))
  return annotator => trustOf(records.get(annotator) ?? NO_RECORD)
}

function scoreOf(forecasts: Forecasts, name: Case, method: Method, metric: keyof typeof METRICS): number {
  return METRICS[metric](forecasts.get(keyOf(name, method)) ?? [])
}

function rowsOf(forecasts: Forecasts): Row[] {
  const rows: Row[] = []
  for (const metric of Object.keys(METRICS) as (keyof typeof METRICS)[])
    for (const name of cases)
      for (const method of OURS)
        for (const peer of PEERS) {
          const ours = scoreOf(forecasts, name, method, metric)
          const theirs = scoreOf(forecasts, name, peer, metric)
          rows.push(compared({ case: keyOf(name, method), metric, ours, peer, theirs }))
        }
  return rows
}

function requirementsOf(forecasts: Forecasts): Requirement[] {
  const score = (name: Case, method: Method) => scoreOf(forecasts, name, method, 'Brier')
  const unknown = cases.map(name =>
    atMost(
      `Brier, ${name}, unknown annotators, no worse than the majority share to three decimals`,
      toThree(score(name, 'unknown annotators')),
      toThree(score(name, 'majority share')),
    ),
  )
  return [
    ...unknown,
    atMost('Brier, first 3, learned trust', score('first 3', 'learned trust'), 0.36),
    atMost('Brier, all labels, learned trust', score('all labels', 'learned trust'), 0.21),
  ]
}

const toThree = (score: number): number => Math.round(score * 1_000) / 1_000
