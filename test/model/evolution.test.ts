import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { believe } from '../../model/belief.ts'
import { compact } from '../../model/compaction.ts'
import type { FieldDefinition, ModelDefinition } from '../../model/definition.ts'
import { unwrap } from '../../model/error.ts'
import type { Evidence } from '../../model/evidence.ts'
import { evolve, unfitUnder } from '../../model/evolution.ts'
import { desk } from '../../model/sample/desk.ts'
import { parseModel, type Schema } from '../../model/schema.ts'
import { SelfModel } from '../../model/self-model.ts'
import { law } from '../law.ts'
import { events, TASKS, World } from '../world/history.ts'
import { expectSameBelief, moments } from '../world/reading.ts'
import { type Sampled, sampled, schemas } from '../world/schema.ts'

const OLD = 'need.issue'
const NEW = 'needs.topic'

const definitionOf = ({ schema }: Sampled): ModelDefinition => schema.definition as ModelDefinition

/** The same schema with its first field called otherwise. */
function renamed(sample: Sampled): Schema {
  const { fields, settings } = definitionOf(sample)
  const { [OLD]: field, ...others } = fields
  const roles = { human: { authority: 'human', read: ['**'], write: ['**'] } }
  return unwrap(parseModel({ fields: { ...others, [NEW]: { ...field, was: OLD } }, roles, settings }))
}

const beliefs = (model: SelfModel, name: string, times: readonly number[]) => {
  const field = model.field(name)
  return times.flatMap(time => TASKS.map(task => field && believe(field, time, task)))
}

law(
  '[EVO-1] a renamed field keeps its beliefs, with all that was taken back, folded or not',
  fc.tuple(schemas(undefined, 2), events(), fc.boolean()),
  ([sample, happenings, folds]) => {
    const world = new World(sample).live(happenings)
    world.wait('late')
    const before = new SelfModel(world.schema, world.evidence)
    const kept = folds ? compact(before, world.now, world.isOpen) : world.evidence
    const after = new SelfModel(renamed(sample), kept)
    expect(after.unfit.size).toBe(0)
    const times = moments(world)
    const [was, is] = [beliefs(before, OLD, times), beliefs(after, NEW, times)]
    for (const [i, belief] of was.entries()) expectSameBelief(belief, is[i])
  },
)

law(
  '[EVO-2] compaction under a new schema keeps evidence as it was said: the old schema reads it as before',
  fc.tuple(schemas(undefined, 1), events()),
  ([sample, happenings]) => {
    const world = new World(sample).live(happenings)
    world.wait('late')
    const before = new SelfModel(world.schema, world.evidence)
    const folded = compact(new SelfModel(renamed(sample), world.evidence), world.now, world.isOpen)
    const back = new SelfModel(world.schema, folded)
    const times = moments(world)
    const [was, is] = [beliefs(before, OLD, times), beliefs(back, OLD, times)]
    for (const [i, belief] of was.entries()) expectSameBelief(belief, is[i])
  },
)

law(
  '[EVO-3] what no longer fits is listed and not counted, and nothing else changes',
  fc.tuple(schemas(['choice'], 1), events(), fc.constantFrom('a', 'b', 'c')),
  ([sample, happenings, gone]) => {
    const world = new World(sample).live(
      happenings.filter(event => event.type === 'say').map(event => ({ ...event, interaction: 0 })),
    )
    const values = ['a', 'b', 'c'].filter(value => value !== gone)
    const { fields, settings, roles } = definitionOf(sample)
    const field = { ...fields[OLD], kind: 'choice', values }
    const schema = unwrap(parseModel({ fields: { [OLD]: field }, roles, settings }))
    const model = new SelfModel(schema, world.evidence)
    const removed = world.words.filter(word => word.value === gone)
    expect([...model.unfit.keys()].sort()).toEqual(removed.map(word => word.id).sort())
    expect([...unfitUnder(schema, world.evidence)]).toEqual([...model.unfit])
    const rest = new SelfModel(
      world.schema,
      world.words.filter(word => word.value !== gone),
    )
    expect(beliefs(model, OLD, moments(world))).toEqual(beliefs(rest, OLD, moments(world)))
  },
)

describe('changes', () => {
  const under = (from: FieldDefinition, to: FieldDefinition, value: unknown, more: object = {}) => {
    const world = new World(sampled([from]))
    world.observe('hana', { field: OLD, value, confidence: 0.9, ...more })
    const model = new SelfModel(sampled([to]).schema, world.evidence as Evidence[])
    const field = model.field(OLD)
    return field ? believe(field, world.now) : [...model.unfit.values()][0]
  }
  const conversions: [from: FieldDefinition, to: FieldDefinition, said: unknown, meant: unknown][] = [
    [{ kind: 'flag' }, { kind: 'choice', values: ['true', 'false'] }, true, 'true'],
    [{ kind: 'choice' }, { kind: 'flag' }, 'false', false],
    [{ kind: 'number' }, { kind: 'text' }, 3.5, '3.5'],
    [{ kind: 'text' }, { kind: 'number' }, '42', 42],
    [{ kind: 'choice' }, { kind: 'set' }, 'a', ['a']],
    [{ kind: 'text' }, { kind: 'choice' }, 'short', 'short'],
    [{ kind: 'choice', values: ['x', 'y'] }, { kind: 'choice', values: ['z', 'y'], wasValues: { x: 'z' } }, 'x', 'z'],
  ]
  test.each(conversions)(
    '[EVO-4] evidence is converted where the new kind can hold the same: %j → %j, %j → %j',
    (from, to, said, meant) => {
      expect(under(from, to, said)).toMatchObject({ value: meant })
    },
  )

  const unfit: [from: FieldDefinition, to: FieldDefinition, said: unknown][] = [
    [{ kind: 'text' }, { kind: 'number' }, '042'],
    [{ kind: 'text' }, { kind: 'flag' }, 'yes'],
    [{ kind: 'record' }, { kind: 'text' }, { a: 1 }],
    [{ kind: 'text' }, { kind: 'choice' }, 'x'.repeat(300)],
    [{ kind: 'choice' }, { kind: 'choice', values: ['x', 'y'] }, 'z'],
    [{ kind: 'number' }, { kind: 'number', schema: { type: 'number', maximum: 5 } }, 9],
  ]
  test.each(unfit)('[EVO-5] what the new kind can’t hold is unfit, with the reason: %j → %j', (from, to, said) => {
    expect(under(from, to, said)).toEqual(expect.stringMatching(/./))
  })

  test('[EVO-6] a denied flag converted keeps its meaning; a denied choice becomes the opposite flag', () => {
    expect(under({ kind: 'choice' }, { kind: 'flag' }, 'true', { not: true })).toMatchObject({ value: false })
  })

  test('[EVO-7] a new half-life acts on what was said before', () => {
    const world = new World(sampled([{ kind: 'choice', halfLife: '1d' }]))
    world.observe('a1', { field: OLD, value: 'a', confidence: 0.9 })
    const read = (halfLife: string) => {
      const field = new SelfModel(sampled([{ kind: 'choice', halfLife }]).schema, world.evidence).field(OLD)
      return field && believe(field, world.now + 86_400_000)?.confidence
    }
    expect(read('1d')).toBeCloseTo(9 / 11, 9)
    expect(read('never')).toBeCloseTo(0.9, 9)
  })

  test('[EVO-8] members of a renamed family take their names along', () => {
    const schema = unwrap(
      parseModel({ fields: { 'orders.*.state': { kind: 'choice', was: 'order.*.status' } }, roles: {} }),
    )
    const world = new World(sampled([{ kind: 'flag' }, { kind: 'flag' }, { kind: 'flag' }, { kind: 'choice' }]))
    world.observe('a1', { field: 'order.A17.status', value: 'paid' })
    expect(new SelfModel(schema, world.evidence).field('orders.A17.state')).toBeDefined()
  })
})

test('[EVO-9] evolve lists what changes in fields and who gains or loses what', () => {
  const fields: Record<string, unknown> = { ...desk.definition.fields }
  const issue = fields['need.issue'] as object
  delete fields['need.issue']
  delete fields['emotion.trust']
  const mood = fields['emotion.state'] as { values: string[] }
  const next = unwrap(
    parseModel({
      fields: {
        ...fields,
        'need.topic': { ...issue, was: 'need.issue', halfLife: '14d' },
        'emotion.state': { ...mood, values: mood.values.filter(value => value !== 'angry') },
        'need.extra': { kind: 'flag' },
      },
      roles: {
        triage: { read: ['**', '!identity.name', '!billing.plan'], write: ['**'] },
        newcomer: { read: ['need.*'], write: ['!**'] },
      },
    }),
  )
  const { fields: changes, access } = evolve(desk, next)
  expect(changes).toEqual([
    { field: 'emotion.state', change: 'changed', details: ['value removed: angry'] },
    {
      field: 'need.topic',
      change: 'renamed',
      details: ['name: need.issue → need.topic', 'halfLife: 1w → 2w', 'hold: 1w → 2w'],
    },
    { field: 'need.extra', change: 'added', details: [] },
    { field: 'emotion.trust', change: 'removed', details: [] },
  ])
  const of = (role: string, field: string, side: 'read' | 'write') =>
    access.find(change => change.role === role && change.field === field && change.side === side)?.change
  expect(of('triage', 'identity.name', 'read')).toBe('loses')
  expect(of('triage', 'billing.status', 'read')).toBe('gains')
  expect(of('triage', 'billing.plan', 'read')).toBeUndefined()
  expect(of('newcomer', 'need.topic', 'read')).toBe('gains')
  expect(of('human', 'need.topic', 'write')).toBe('loses')
  expect(evolve(desk, desk)).toEqual({ fields: [], access: [], roles: [] })
})
