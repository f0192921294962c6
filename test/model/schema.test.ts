import { describe, expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../model/duration.ts'
import { SelfsameError, unwrap } from '../../model/error.ts'
import { defineModel, parseModel } from '../../model/schema.ts'
import { keyOf } from '../../model/value.ts'

const field = { kind: 'choice' }
const role = { read: ['**'], write: ['**'] }
const model = (fields: object, roles: object = {}, more: object = {}): unknown => ({ fields, roles, ...more })

describe('mistakes', () => {
  const cases: [input: unknown, path: string, allowed: string][] = [
    [null, '', 'expected object'],
    [[], '', 'expected object'],
    [{}, 'fields', 'expected record'],
    [model({ a: {} }), 'fields.a.kind', 'Invalid'],
    [model({ a: { kind: 'colour' } }), 'fields.a.kind', 'Invalid'],
    [model({ 'a.b': { kind: 'choice', halflife: '2h' } }), 'fields["a.b"]', 'halflife'],
    [model({ a: { kind: 'choice', halfLife: '2 hours' } }), 'fields.a.halfLife', '"90s", "2h", "14d" or "never"'],
    [model({ a: { kind: 'choice', halfLife: '0s' } }), 'fields.a.halfLife', 'above zero'],
    [model({ a: { kind: 'choice', halfLife: 2 } }), 'fields.a.halfLife', 'expected string'],
    [model({ a: { kind: 'choice', hold: 'soon' } }), 'fields.a.hold', '"never"'],
    [model({ a: { kind: 'choice', values: ['x'] } }), 'fields.a.values', '2'],
    [model({ a: { kind: 'choice', values: ['x', 'x'] } }), 'fields.a.values', '"x" stands twice'],
    [model({ a: { kind: 'choice', values: ['x', 'y'], wasValues: { z: 'w' } } }), 'fields.a.wasValues', 'x, y'],
    [model({ a: { kind: 'flag', values: ['x', 'y'] } }), 'fields.a', 'values'],
    [model({ a: { kind: 'choice', tolerance: 1 } }), 'fields.a', 'tolerance'],
    [model({ a: { kind: 'number', tolerance: -1 } }), 'fields.a.tolerance', '0'],
    [model({ a: { kind: 'choice', carry: 0.5 } }), 'fields.a.carry', 'only with binding "task"'],
    [model({ a: { kind: 'choice', binding: 'task', carry: 2 } }), 'fields.a.carry', '1'],
    [model({ a: { kind: 'choice', binding: 'team' } }), 'fields.a.binding', '"user"|"task"'],
    [model({ a: { kind: 'choice', sensitivity: 'top' } }), 'fields.a.sensitivity', '"secret"'],
    [model({ a: { kind: 'choice', contested: 0 } }), 'fields.a.contested', ''],
    [model({ a: { kind: 'text', schema: { type: 'nonsense' } } }), 'fields.a.schema', 'JSON Schema'],
    [model({ a: field, b: { kind: 'choice', was: 'a' } }), 'fields.b.was', '"a" is still a field of its own'],
    [model({ 'b.*': { kind: 'choice', was: 'c' } }), 'fields["b.*"].was', 'same number of "*"'],
    [model({ 'a b': field }), 'fields["a b"]', 'dotted name'],
    [model({ 'a.**': field }), 'fields["a.**"]', 'dotted name'],
    [model({ '': field }), 'fields[""]', 'dotted name'],
    [model({ a: field }, { Big: role }), 'roles.Big', ''],
    [model({ a: field }, { r: { write: [] } }), 'roles.r.read', 'expected array'],
    [model({ a: field }, { r: { ...role, read: ['a..b'] } }), 'roles.r.read[0]', '"!billing.**"'],
    [model({ a: field }, { r: { ...role, read: ['b.*'] } }), 'roles.r.read[0]', 'matches no field; fields: a'],
    [model({ a: field }, { r: { ...role, write: ['!b.*'] } }), 'roles.r.write[0]', 'matches no field'],
    [model({ a: field }, { r: { ...role, needs: ['b'] } }), 'roles.r.needs[0]', 'not a field that this role may read'],
    [model({ a: field }, { r: { ...role, read: ['!a'], needs: ['a'] } }), 'roles.r.needs[0]', 'may read'],
    [model({ a: field }, { r: { ...role, handsTo: ['s'] } }), 'roles.r.handsTo[0]', 'no role "s"; roles: r'],
    [model({ a: field }, { r: { ...role, authority: 'god' } }), 'roles.r.authority', '"human"'],
    [model({ a: field }, { r: { ...role, reach: 'some' } }), 'roles.r.reach', '"assigned"'],
    [model({ a: field }, { r: { ...role, trust: 1.5 } }), 'roles.r.trust', '1'],
    [model({ a: field }, { r: { ...role, confidence: { heard: 0 } } }), 'roles.r.confidence.heard', '0'],
    [model({ a: field }, {}, { settings: { idle: 'never' } }), 'settings.idle', '"90s", "2h" or "14d"'],
    [model({ a: field }, {}, { setings: {} }), '', 'setings'],
    [JSON.parse('{"fields":{"__proto__":{"kind":"choice"}},"roles":{}}'), 'fields.__proto__', "can't be a name"],
    [JSON.parse('{"fields":{"constructor":{"kind":"choice"}},"roles":{}}'), 'fields.constructor', "can't be a name"],
    [JSON.parse('{"fields":{"a.prototype":{"kind":"choice"}},"roles":{}}'), 'fields["a.prototype"]', "can't be a name"],
    [JSON.parse('{"fields":{},"roles":{"__proto__":{"read":[],"write":[]}}}'), 'roles.__proto__', "can't be a name"],
    [JSON.parse('{"fields":{},"roles":{},"__proto__":{}}'), '__proto__', "can't be a name"],
    [
      JSON.parse('{"fields":{"a":{"kind":"choice","__proto__":{"halfLife":"1h"}}},"roles":{}}'),
      'fields.a.__proto__',
      "can't be a name",
    ],
    [
      model(Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`f${i}`, field]))),
      'fields',
      'at most 2000 fields',
    ],
  ]
  test.each(cases)('[SCH-1] a mistake is named with its path and what is allowed there: %#', (input, path, allowed) => {
    const result = parseModel(input)
    expect(result.ok).toBe(false)
    if (result.ok) return
    expect(result.error.code).toBe('bad_schema')
    const detail = result.error.details?.find(candidate => candidate.path === path)
    expect(result.error.details?.map(candidate => candidate.path)).toContain(path)
    expect(detail?.message).toContain(allowed)
    expect(result.error.message).toBe(
      `${result.error.details?.[0]?.path || 'the schema'}: ${result.error.details?.[0]?.message}`,
    )
  })

  test('[SCH-2] every mistake is named, not only the first', () => {
    const result = parseModel(
      model({ 'a b': field, c: { kind: 'choice', carry: 1 } }, { r: { ...role, handsTo: ['x'] } }),
    )
    expect(result.ok ? [] : result.error.details?.map(({ path }) => path)).toEqual([
      'fields["a b"]',
      'fields.c.carry',
      'roles.r.handsTo[0]',
    ])
  })
})

test('[SCH-3] a schema written in code throws on a mistake, with the same details', () => {
  try {
    defineModel({ fields: { 'a b': { kind: 'flag' } }, roles: {} })
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(SelfsameError)
    expect(error).toMatchObject({ code: 'bad_schema', details: [{ path: 'fields["a b"]' }] })
  }
})

test('[SCH-4] what is left out has its default', () => {
  const schema = unwrap(
    parseModel(model({ a: field, n: { kind: 'number' }, t: { kind: 'flag', binding: 'task' } }, { r: role })),
  )
  const days = (n: number) => n * 86_400_000
  expect(schema.settings).toEqual({
    idle: 1_800_000,
    late: days(30),
    skew: 30_000,
    retention: { audit: days(400), frames: days(400), ledger: days(90) },
  })
  expect(schema.field('a')).toMatchObject({
    halfLife: days(30),
    hold: days(30),
    taskBound: false,
    sensitivity: 'normal',
    contested: 0.5,
    pinned: false,
    values: undefined,
  })
  expect(schema.field('n')?.tolerance).toBe(0)
  expect(schema.field('t')).toMatchObject({ taskBound: true, carry: 0.4 })
  expect(unwrap(schema.role('r'))).toMatchObject({
    authority: 'agent',
    reach: 'assigned',
    trust: 1,
    needs: [],
    handsTo: [],
    actions: [],
  })
})

test('[SCH-5] the hold is one half-life unless given', () => {
  const schema = unwrap(
    parseModel(
      model({
        a: { kind: 'flag', halfLife: '2h' },
        b: { kind: 'flag', halfLife: '2h', hold: '5m' },
        c: { kind: 'flag', halfLife: 'never' },
      }),
    ),
  )
  expect(['a', 'b', 'c'].map(name => schema.field(name)?.hold)).toEqual([7_200_000, 300_000, Number.POSITIVE_INFINITY])
})

test('[SCH-6] a name belongs to its own field, else to the family that says most about it', () => {
  const schema = unwrap(
    parseModel(model({ 'order.*.*': field, 'order.vip.*': field, 'order.*.status': field, 'order.vip.status': field })),
  )
  const of = (name: string) => schema.field(name)?.name
  expect(of('order.vip.status')).toBe('order.vip.status')
  expect(of('order.vip.date')).toBe('order.vip.*')
  expect(of('order.A.status')).toBe('order.*.status')
  expect(of('order.A.date')).toBe('order.*.*')
  expect(of('order.A')).toBeUndefined()
  expect(of('order.__proto__.status')).toBeUndefined()
})

test.each([
  ['90s', 90_000],
  ['2h', 7_200_000],
  ['1.5h', 5_400_000],
  ['14d', 1_209_600_000],
  ['1y', 31_557_600_000],
  ['7ms', 7],
  ['never', Number.POSITIVE_INFINITY],
  ['', undefined],
  ['-1s', undefined],
  ['1', undefined],
  ['1 h', undefined],
  ['Infinity', undefined],
  ['1e3s', undefined],
])('[SCH-7] a duration is a number and a unit, or never: %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
  if (ms !== undefined) expect(parseDuration(formatDuration(ms))).toBe(ms)
})

test('[SCH-8] values are equal whatever the order of their keys', () => {
  expect(keyOf({ b: 1, a: [{ d: 1, c: null }] })).toBe(keyOf({ a: [{ c: null, d: 1 }], b: 1 }))
  expect(keyOf({ a: '1' })).not.toBe(keyOf({ a: 1 }))
  expect(keyOf([1, 2])).not.toBe(keyOf([2, 1]))
})
