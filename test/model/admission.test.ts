import fc from 'fast-check'
import { expect, test } from 'vitest'
import { admit, admitRetraction, interactionOf, MAX_CONFIDENCE, NOTHING_SERVED } from '../../model/admission.ts'
import { unwrap } from '../../model/error.ts'
import { desk } from '../../model/sample/desk.ts'
import { scopeOf } from '../../model/scope.ts'
import { law } from '../law.ts'

const NOW = 1_900_000_000_000
const DAY = 86_400_000
const stamp = { id: 'w1', received: NOW, seq: 7, episode: 'e1', served: NOTHING_SERVED }

const speaker = (name: 'triage' | 'human' | 'subject', trust = 1) => {
  const role = unwrap(desk.role(name))
  return { agent: 'someone', role, trust, scope: scopeOf(role) }
}

const admitted = (input: object, who = speaker('triage'), more: object = {}) =>
  unwrap(admit(desk, who, { field: 'need.issue', value: 'x', ...input }, { ...stamp, ...more }))[0]

test('[ADM-3] a word carries what was said, who said it and what the server adds', () => {
  const input = { confidence: 0.8, basis: 'seen', at: NOW - 5, interaction: 'i1', task: 't1', source: 's1', why: 'so' }
  expect(admitted(input)).toEqual({
    type: 'word',
    id: 'w1',
    field: 'need.issue',
    value: 'x',
    trust: 1,
    rank: 0,
    agent: 'someone',
    role: 'triage',
    episode: 'e1',
    received: NOW,
    seq: 7,
    ...input,
  })
})

test('[ADM-4] confidence is capped at .99, and left out it is the default of the role and basis', () => {
  expect(admitted({ confidence: 1 })?.confidence).toBe(MAX_CONFIDENCE)
  expect(admitted({})?.confidence).toBe(0.6)
  expect(admitted({ basis: 'heard' })?.confidence).toBe(0.9)
  expect(admitted({ basis: 'seen' })?.confidence).toBe(0.95)
})

test('[ADM-5] null counts as left out', () => {
  const nothing = {
    confidence: null,
    basis: null,
    at: null,
    interaction: null,
    task: null,
    source: null,
    why: null,
    id: null,
    not: null,
  }
  expect(admitted(nothing)).toEqual(admitted({}))
})

test('[ADM-6] a time a little ahead becomes now; at the bounds it is taken', () => {
  expect(admitted({ at: NOW + 30_000 })?.at).toBe(NOW)
  expect(admitted({ at: NOW - 30 * DAY })?.at).toBe(NOW - 30 * DAY)
  expect(admitted({ at: '2030-03-17T17:46:40Z' })?.at).toBe(NOW)
  expect(admitted({ at: '2030-03-17T18:46:40+01:00' })?.at).toBe(NOW)
})

test('[ADM-7] rank is 1 for a person’s word from half trusted confidence on', () => {
  expect(admitted({ confidence: 0.5 }, speaker('human'))?.rank).toBe(1)
  expect(admitted({ confidence: 0.49 }, speaker('human'))?.rank).toBe(0)
  expect(admitted({ confidence: 0.9 }, speaker('subject', 0.5))?.rank).toBe(0)
  expect(admitted({ confidence: 0.99 })?.rank).toBe(0)
})

test('[ADM-8] an agent that infers what it was served echoes; who heard or saw it does not, nor does a person', () => {
  const served = { served: { values: ['x'], denied: [] } }
  expect(admitted({}, speaker('triage'), served)?.echo).toBe(true)
  expect(admitted({ basis: 'heard' }, speaker('triage'), served)?.echo).toBeUndefined()
  expect(admitted({ basis: 'seen' }, speaker('triage'), served)?.echo).toBeUndefined()
  expect(admitted({}, speaker('human'), served)?.echo).toBeUndefined()
  expect(admitted({ value: 'y' }, speaker('triage'), served)?.echo).toBeUndefined()
})

test('[ADM-9] several elements of a set become a word each, equal ones one', () => {
  const words = unwrap(admit(desk, speaker('triage'), { field: 'expertise.domains', value: ['a', 'b', 'a'] }, stamp))
  expect(words.map(word => [word.id, word.value])).toEqual([
    ['w1', 'a'],
    ['w1/1', 'b'],
  ])
})

test('[ADM-10] without an interaction a word belongs to the agent’s own, which nobody else can name', () => {
  expect(admitted({})?.interaction).toBe('@someone')
  expect(interactionOf({ interaction: undefined }, 'a')).toBe('@a')
  expect(admit(desk, speaker('triage'), { field: 'need.issue', value: 'x', interaction: '@other' }, stamp).ok).toBe(
    false,
  )
})

test('[ADM-11] an agent takes back its own words only, a person anyone’s, both only within their fields', () => {
  const own = unwrap(admitRetraction(speaker('triage'), { interaction: 'i1' }, stamp))
  expect(own).toMatchObject({ agent: 'someone', interaction: 'i1', within: [['**', '!billing.**']] })
  expect(unwrap(admitRetraction(speaker('human'), { agent: 'bot' }, stamp))).toMatchObject({
    agent: 'bot',
    by: 'someone',
  })
  expect(unwrap(admitRetraction(speaker('human'), { source: 's1' }, stamp)).agent).toBeUndefined()
})

law(
  '[ADM-12] what is admitted is bounded: confidence, time and value are within what the schema allows',
  fc.record({
    field: fc.constantFrom('need.issue', 'emotion.churn_risk', 'history.contacts', 'need.goal'),
    value: fc.oneof(fc.string(), fc.boolean(), fc.double(), fc.integer()),
    confidence: fc.oneof(fc.double(), fc.constantFrom(0, 1, Number.MIN_VALUE, undefined)),
    at: fc.oneof(fc.integer({ min: NOW - 31 * DAY, max: NOW + DAY }), fc.constant(undefined)),
  }),
  input => {
    const result = admit(desk, speaker('triage'), input, stamp)
    if (!result.ok) return
    for (const word of result.value) {
      expect(word.confidence > 0 && word.confidence <= MAX_CONFIDENCE).toBe(true)
      expect(word.at <= NOW && word.at >= NOW - 30 * DAY).toBe(true)
      expect(desk.field(word.field)?.check(word.value).ok).toBe(true)
    }
  },
)
