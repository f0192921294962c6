import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { admit } from '../../model/admission.ts'
import { unwrap } from '../../model/error.ts'
import { Patterns } from '../../model/pattern.ts'
import { desk } from '../../model/sample/desk.ts'
import { type Scope, scopeOf } from '../../model/scope.ts'
import { SelfModel } from '../../model/self-model.ts'
import { view } from '../../model/view.ts'
import { law } from '../law.ts'
import { events, TASKS, World } from '../world/history.ts'
import { moments } from '../world/reading.ts'
import { KINDS, schemas } from '../world/schema.ts'

const told = (world: World, evidence: World['evidence'], scope: Scope): string =>
  JSON.stringify(
    moments(world).flatMap(time =>
      TASKS.map(task => [
        ...view(new SelfModel(world.schema, evidence), scope, { time, ...(task !== undefined && { task }) }),
      ]),
    ),
  )

law(
  '[SCO-1] nothing in a view tells of what is not in it: histories that differ in hidden fields give equal bytes',
  fc.tuple(
    schemas(KINDS, 4).filter(({ names }) => names.length > 1),
    events(20),
    fc.constantFrom('narrow', 'orders'),
    fc.nat(),
  ),
  ([sample, happenings, name, dice]) => {
    const world = new World(sample).live(happenings)
    const scope = scopeOf(unwrap(world.schema.role(name)))
    const hidden = (piece: World['evidence'][number]) => piece.type === 'word' && !scope.read.has(piece.field)
    const less = world.evidence.filter(piece => !hidden(piece))
    const other = world.evidence.filter((piece, i) => !hidden(piece) || (dice >> (i % 16)) % 2 === 0)
    const whole = told(world, world.evidence, scope)
    expect(told(world, less, scope)).toBe(whole)
    expect(told(world, other, scope)).toBe(whole)
  },
)

law(
  '[SCO-2] a view holds exactly the fields of its scope that anything is believed of',
  fc.tuple(schemas(KINDS, 4), events(), fc.constantFrom('narrow', 'orders', 'human')),
  ([sample, happenings, name]) => {
    const world = new World(sample).live(happenings)
    const model = new SelfModel(world.schema, world.evidence)
    const scope = scopeOf(unwrap(world.schema.role(name)))
    const all = view(model, scopeOf(unwrap(world.schema.role('human'))), { time: world.now })
    const seen = view(model, scope, { time: world.now })
    expect([...seen]).toEqual([...all].filter(([field]) => scope.read.has(field)))
  },
)

describe('patterns', () => {
  const cases: [patterns: string[], field: string, isIn: boolean][] = [
    [['**'], 'a.b.c', true],
    [['*'], 'a', true],
    [['*'], 'a.b', false],
    [['a.*'], 'a.b', true],
    [['a.*'], 'a', false],
    [['a.*'], 'a.b.c', false],
    [['a.**'], 'a', true],
    [['a.**'], 'a.b.c', true],
    [['**.c'], 'a.b.c', true],
    [['a.**.c'], 'a.c', true],
    [['a.*.c'], 'a.b.c', true],
    [['**', '!a.**'], 'a.b', false],
    [['!a.**', '**'], 'a.b', false],
    [['**', '!a.*'], 'a.b.c', true],
    [['!a.b'], 'a.c', false],
    [[], 'a', false],
    [['**'], '__proto__', false],
    [['**'], 'a..b', false],
    [['**'], '', false],
  ]
  test.each(cases)(
    '[SCO-3] a pattern is a set of fields, and a deny wins wherever it stands: %j %s %s',
    (patterns, field, isIn) => {
      expect(new Patterns(patterns).has(field)).toBe(isIn)
    },
  )

  const coverages: [patterns: string[], family: string, coverage: string][] = [
    [['**'], 'order.*.status', 'all'],
    [['order.A.*'], 'order.*.status', 'some'],
    [['**', '!order.vip.*'], 'order.*.status', 'some'],
    [['**', '!order.**'], 'order.*.status', 'none'],
    [['need.*'], 'order.*.status', 'none'],
  ]
  test.each(coverages)(
    '[SCO-4] patterns cover all, some or none of a family: %j %s %s',
    (patterns, family, coverage) => {
      expect(new Patterns(patterns).coverage(family)).toBe(coverage)
    },
  )
})

const name = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }).map(parts => parts.join('.'))
const pattern = fc
  .tuple(fc.boolean(), fc.array(fc.constantFrom('a', 'b', '*', '**'), { minLength: 1, maxLength: 4 }))
  .map(([deny, parts]) => `${deny ? '!' : ''}${parts.join('.')}`)
const patterns = fc.array(pattern, { maxLength: 4 })

law(
  '[SCO-5] a grant narrows: what it lets through, the role lets through as well',
  fc.tuple(patterns, patterns, name),
  ([of, granted, field]) => {
    const role = { ...unwrap(desk.role('triage')), read: new Patterns(of), write: new Patterns(of) }
    const scope = scopeOf(role, { fields: granted })
    const both = new Patterns(of).has(field) && new Patterns(granted).has(field)
    expect(scope.read.has(field)).toBe(both)
    expect(scope.write.has(field)).toBe(both)
  },
)

law(
  '[SCO-6] a further deny never opens a field, and no order of patterns matters',
  fc.tuple(patterns, pattern, name),
  ([list, one, field]) => {
    const deny = `!${one.replace('!', '')}`
    if (new Patterns([...list, deny]).has(field)) expect(new Patterns(list).has(field)).toBe(true)
    expect(new Patterns(list.toReversed()).has(field)).toBe(new Patterns(list).has(field))
  },
)

law('[SCO-8] what a deny names is never let through', fc.tuple(patterns, pattern, name), ([list, one, field]) => {
  const named = one.replace('!', '')
  if (new Patterns([named]).has(field)) expect(new Patterns([...list, `!${named}`]).has(field)).toBe(false)
})

test('[SCO-7] a view can ask for less: some fields, a least confidence, a task', () => {
  const human = unwrap(desk.role('human'))
  const speaker = { agent: 'h', role: human, trust: 1, scope: scopeOf(human) }
  const model = new SelfModel(desk)
  const say = (field: string, value: unknown, confidence: number, seq: number) => {
    const stamp = { id: `w${seq}`, received: 1e12, seq, episode: 'e', served: { values: [], denied: [] } }
    for (const word of unwrap(admit(desk, speaker, { field, value, confidence, task: 't1' }, stamp))) model.add(word)
  }
  say('need.issue', 'login_fails', 0.9, 1)
  say('emotion.state', 'calm', 0.3, 2)
  say('identity.verified', true, 0.9, 3)
  const keys = (question: object) => [...view(model, human, { time: 1e12, ...question }).keys()]
  expect(keys({})).toEqual(['emotion.state', 'need.issue'])
  expect(keys({ task: 't1' })).toEqual(['emotion.state', 'identity.verified', 'need.issue'])
  expect(keys({ fields: new Patterns(['need.*']) })).toEqual(['need.issue'])
  expect(keys({ minConfidence: 0.5 })).toEqual(['need.issue'])
})
