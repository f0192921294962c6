import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { admit, admitRetraction, NOTHING_SERVED } from '../../model/admission.ts'
import { type Code, SelfsameError, unwrap } from '../../model/error.ts'
import { desk } from '../../model/sample/desk.ts'
import { parseModel } from '../../model/schema.ts'
import { scopeOf } from '../../model/scope.ts'
import { law } from '../law.ts'

const NOW = 1_900_000_000_000
const DAY = 86_400_000
const stamp = { id: 'w1', received: NOW, seq: 1, episode: 'e1', served: NOTHING_SERVED }
const speakerOf = (name: 'triage' | 'human') => {
  const role = unwrap(desk.role(name))
  return { agent: 'bot', role, trust: 1, scope: scopeOf(role) }
}
const outcome = (input: unknown): Code | 'admitted' => {
  const result = admit(desk, speakerOf('triage'), input, stamp)
  return result.ok ? 'admitted' : result.error.code
}
const observed = (more: object): unknown => ({ field: 'need.issue', value: 'x', ...more })

describe('confidence', () => {
  test.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    -0.5,
    -0,
    0,
    1.0000001,
    2,
    '0.9',
    true,
    [],
    {},
    1n,
  ])('[BAD-1] a confidence that is no number above 0 and up to 1 is refused: %s', confidence =>
    expect(outcome(observed({ confidence }))).toBe('bad_confidence'),
  )
})

describe('time', () => {
  const cases: [name: string, at: unknown, code: Code][] = [
    ['in the future', NOW + 30_001, 'time_ahead'],
    ['far in the future', Number.MAX_SAFE_INTEGER, 'time_ahead'],
    ['a future date', '2999-01-01T00:00:00Z', 'time_ahead'],
    ['before 1970', -1, 'bad_time'],
    ['a date before 1970', '1969-12-31T23:59:59Z', 'bad_time'],
    ['too old', NOW - 30 * DAY - 1, 'time_too_old'],
    ['the beginning of time', 0, 'time_too_old'],
    ['a fraction', 0.5, 'bad_time'],
    ['not a number', Number.NaN, 'bad_time'],
    ['infinite', Number.POSITIVE_INFINITY, 'bad_time'],
    ['a word', 'yesterday', 'bad_time'],
    ['a date without an offset', '2026-01-01T00:00:00', 'bad_time'],
    ['no such day', '2026-02-30T00:00:00Z', 'bad_time'],
    ['a Date', new Date(NOW), 'bad_time'],
    ['a BigInt', 1n, 'bad_time'],
  ]
  test.each(cases)('[BAD-2] a time out of bounds is refused and never becomes now: %s', (_, at, code) =>
    expect(outcome(observed({ at }))).toBe(code),
  )
})

describe('field', () => {
  const names = [
    'nope',
    'need',
    'need.issue.more',
    '',
    '.',
    'a..b',
    'order.*.status',
    '**',
    '__proto__',
    'constructor',
    'prototype',
    'need.__proto__',
    'order.constructor.status',
    'toString',
    'x'.repeat(1_000_000),
    'é',
    '\ud800',
  ]
  test.each(names.map(name => [name.slice(0, 30), name]))(
    '[BAD-3] a field that is not there is refused: %j',
    (_, field) => expect(outcome({ field, value: 'x' })).toBe('field_unavailable'),
  )

  test('[BAD-4] unknown and forbidden fields get the same answer but for the name', () => {
    const answer = (field: string) => {
      const result = admit(desk, speakerOf('triage'), { field, value: 'x' }, stamp)
      return result.ok ? undefined : JSON.stringify(result.error).replace(field, 'F')
    }
    expect(answer('billing.plan')).toBe(answer('billing.nope'))
    expect(answer('billing.plan')).toBe(answer('nope'))
    const retraction = (field: string) => {
      const result = admitRetraction(speakerOf('triage'), { field }, stamp)
      return result.ok ? undefined : JSON.stringify(result.error).replace(field, 'F')
    }
    expect(retraction('billing.plan')).toBe(retraction('billing.nope'))
    expect(retraction('billing.nope')).toContain('field_unavailable')
  })
})

const deep = (levels: number): unknown => (levels === 0 ? 1 : { inner: deep(levels - 1) })
const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic
const throwing = Object.defineProperty({}, 'x', {
  enumerable: true,
  get: () => {
    throw new Error('no')
  },
})
const hostile = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error('no')
    },
  },
)
const hostileList = new Proxy([] as unknown[], {
  get: () => {
    throw new Error('no')
  },
})
const revoked = (() => {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
})()

describe('value', () => {
  const cases: [name: string, field: string, value: unknown, code: Code][] = [
    ['outside the values', 'emotion.state', 'hungry', 'bad_value'],
    ['another type', 'emotion.state', 1, 'bad_value'],
    ['blank', 'need.issue', ' ', 'bad_value'],
    ['missing', 'need.issue', undefined, 'bad_value'],
    ['null', 'need.issue', null, 'bad_value'],
    ['a list for one', 'need.issue', ['x'], 'bad_value'],
    ['a text for a flag', 'emotion.churn_risk', 'true', 'bad_value'],
    ['NaN', 'history.contacts', Number.NaN, 'bad_value'],
    ['infinite', 'history.contacts', Number.NEGATIVE_INFINITY, 'bad_value'],
    ['a number as text', 'history.contacts', '3', 'bad_value'],
    ['a text for a record', 'technical.environment', 'mac', 'bad_value'],
    ['a list for a record', 'technical.environment', [1], 'bad_value'],
    ['not as the schema says', 'technical.environment', { os: { name: 'mac' } }, 'bad_value'],
    ['__proto__ as a key', 'technical.environment', JSON.parse('{"__proto__":1}'), 'bad_value'],
    ['constructor as a key', 'technical.environment', { constructor: 1 }, 'bad_value'],
    ['prototype as a key', 'technical.environment', { prototype: 1 }, 'bad_value'],
    ['too long for a choice', 'need.issue', 'x'.repeat(201), 'value_too_large'],
    ['1 MB of text', 'need.goal', 'x'.repeat(1_000_000), 'value_too_large'],
    ['1 MB of record', 'technical.environment', { os: 'x'.repeat(1_000_000) }, 'value_too_large'],
    [
      '1 MB of keys',
      'technical.environment',
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1])),
      'value_too_large',
    ],
    ['deep', 'technical.environment', deep(10), 'value_too_deep'],
    ['very deep', 'technical.environment', deep(5_000), 'value_too_deep'],
    ['cyclic', 'technical.environment', cyclic, 'value_too_deep'],
    ['a getter that throws', 'technical.environment', throwing, 'bad_value'],
    ['a proxy that throws', 'technical.environment', hostile, 'bad_value'],
    ['a list that throws', 'expertise.domains', hostileList, 'bad_value'],
    ['a revoked proxy', 'expertise.domains', revoked, 'bad_value'],
    ['a revoked proxy for one', 'need.issue', revoked, 'bad_value'],
    ['a BigInt', 'history.contacts', 3n, 'bad_value'],
    ['a function', 'need.goal', () => 'x', 'bad_value'],
    ['a symbol', 'need.goal', Symbol('x'), 'bad_value'],
    ['a Date', 'technical.environment', new Date(0), 'bad_value'],
    ['a Map', 'technical.environment', new Map(), 'bad_value'],
    ['half a surrogate pair', 'need.goal', '\ud83d', 'bad_value'],
    ['half a surrogate pair as a key', 'technical.environment', { '\ud83d': 1 }, 'bad_value'],
    ['no element', 'expertise.domains', [], 'bad_value'],
    ['too many elements', 'expertise.domains', Array.from({ length: 101 }, (_, i) => `${i}`), 'value_too_large'],
    ['a huge empty list', 'expertise.domains', new Array(4_000_000_000), 'value_too_large'],
    ['a bad element among good', 'expertise.domains', ['a', 1], 'bad_value'],
  ]
  test.each(cases)('[BAD-5] a value that does not fit is refused: %s', (_, field, value, code) =>
    expect(outcome({ field, value })).toBe(code),
  )

  test('[BAD-6] the largest honest value is taken', () => {
    expect(outcome({ field: 'need.goal', value: 'x'.repeat(16_383) })).toBe('admitted')
    expect(outcome({ field: 'need.issue', value: 'x'.repeat(200) })).toBe('admitted')
    expect(outcome({ field: 'expertise.domains', value: Array.from({ length: 100 }, (_, i) => `${i}`) })).toBe(
      'admitted',
    )
  })
})

describe('shape', () => {
  const cases: [name: string, input: unknown, code: Code][] = [
    ['nothing', undefined, 'bad_request'],
    ['null', null, 'bad_request'],
    ['a text', 'need.issue', 'bad_request'],
    ['a list', [], 'bad_request'],
    ['no field', { value: 1 }, 'bad_request'],
    ['a field that is no text', { field: 1, value: 1 }, 'bad_request'],
    ['something unknown', observed({ confidance: 0.9 }), 'bad_request'],
    ['__proto__ besides', JSON.parse('{"field":"need.issue","value":"x","__proto__":{"confidence":1}}'), 'bad_request'],
    ['an unknown basis', observed({ basis: 'guessed' }), 'bad_request'],
    ['a long reason', observed({ why: 'x'.repeat(1_001) }), 'bad_request'],
    [
      'a getter that throws',
      Object.defineProperty({}, 'field', {
        enumerable: true,
        get: () => {
          throw new Error('no')
        },
      }),
      'bad_request',
    ],
    ['a proxy that throws', hostile, 'bad_request'],
    ['a revoked proxy', revoked, 'bad_request'],
    ['an id with a space', observed({ id: 'a b' }), 'bad_id'],
    ['an empty task', observed({ task: '' }), 'bad_id'],
    ['a long interaction', observed({ interaction: 'x'.repeat(129) }), 'bad_id'],
    ['__proto__ as a source', observed({ source: '__proto__' }), 'bad_id'],
    ['an agent denying a choice', observed({ not: true }), 'denial_not_allowed'],
  ]
  test.each(cases)('[BAD-7] an observation of another shape is refused: %s', (_, input, code) =>
    expect(outcome(input)).toBe(code),
  )

  const retractions: [name: string, input: unknown, code: Code][] = [
    ['nothing', undefined, 'bad_request'],
    ['no key at all', {}, 'bad_request'],
    ['only a reason', { why: 'x' }, 'bad_request'],
    ['another’s words', { agent: 'other' }, 'retraction_not_allowed'],
    ['a forbidden field', { field: 'billing.plan' }, 'field_unavailable'],
    ['__proto__ as a field', { field: '__proto__' }, 'field_unavailable'],
    ['a bad id', { interaction: 'a b' }, 'bad_id'],
    ['a proxy that throws', hostile, 'bad_request'],
  ]
  test.each(retractions)('[BAD-8] a retraction of another shape or reach is refused: %s', (_, input, code) => {
    const result = admitRetraction(speakerOf('triage'), input, stamp)
    expect(result.ok ? 'admitted' : result.error.code).toBe(code)
  })

  test('[BAD-9] an unknown role is refused, and the ones there are are listed', () => {
    const result = desk.role('nobody')
    expect(result.ok ? undefined : result.error).toEqual({
      code: 'unknown_role',
      message: 'No role "nobody". Roles: triage, billing, tech, human, supervisor, subject.',
    })
    expect(() => unwrap(desk.role('__proto__'))).toThrow(SelfsameError)
  })
})

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSparseArray: true,
  withNullPrototype: true,
  withObjectString: true,
  withTypedArray: true,
  withUnicodeString: true,
} as fc.ObjectConstraints)

law(
  '[BAD-10] no input throws past admission',
  fc.tuple(anything, anything, fc.constantFrom(...desk.fields.keys(), 'order.A.status')),
  ([whole, value, field]) => {
    for (const input of [
      whole,
      { field, value },
      { field: value, value: whole },
      { field, value: 'x', at: value, confidence: whole, task: value },
    ])
      for (const name of ['triage', 'human'] as const) {
        const result = admit(desk, speakerOf(name), input, stamp)
        if (!result.ok) expect(result.error.message).not.toBe('')
        else expect(() => JSON.stringify(result.value)).not.toThrow()
        admitRetraction(speakerOf(name), input, stamp)
        admitRetraction(speakerOf(name), { agent: value, source: whole }, stamp)
      }
  },
)

law('[BAD-11] no input throws past the parser of schemas', fc.tuple(anything, anything), ([a, b]) => {
  for (const input of [
    a,
    { fields: a, roles: b },
    { fields: { x: a }, roles: { r: b } },
    { fields: { x: { kind: 'record', schema: a } }, roles: {} },
    { fields: { x: { kind: 'number', schema: { properties: a, enum: b } } }, roles: {} },
  ]) {
    const result = parseModel(input)
    if (!result.ok) expect(result.error).toMatchObject({ code: 'bad_schema' })
  }
})

test.each([
  ['a cyclic one', cyclic],
  ['one with a getter that throws', throwing],
  ['a proxy that throws', hostile],
  ['a revoked proxy', revoked],
  ['a cyclic JSON Schema', { fields: { x: { kind: 'record', schema: cyclic } }, roles: {} }],
  ['a function', () => 1],
  ['a deep one', { fields: deep(5_000), roles: {} }],
])('[BAD-12] a definition that is no plain data is refused: %s', (_, input) => {
  const result = parseModel(input)
  expect(result.ok ? 'fine' : result.error.code).toBe('bad_schema')
})
