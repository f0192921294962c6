import { expectTypeOf, test } from 'vitest'
import type { FieldOf, RoleOf, ValueOf } from '../../model/infer.ts'
import { defineModel } from '../../model/schema.ts'
import type { Json } from '../../model/value.ts'

const schema = defineModel({
  fields: {
    'emotion.state': { kind: 'choice', values: ['calm', 'angry'] },
    'need.issue': { kind: 'choice' },
    'need.tags': { kind: 'set', values: ['a', 'b'] },
    'identity.verified': { kind: 'flag' },
    'billing.amount': { kind: 'number' },
    'need.goal': { kind: 'text' },
    'technical.environment': { kind: 'record' },
    'order.*.status': { kind: 'choice', values: ['paid', 'shipped'] },
  },
  roles: { triage: { read: ['**'], write: ['**'] }, human: { authority: 'human', read: ['**'], write: ['**'] } },
})
type D = (typeof schema)['definition']

test('[SCH-9] TypeScript knows the names of fields, families among them, and of roles', () => {
  expectTypeOf<FieldOf<D>>().toEqualTypeOf<
    | 'emotion.state'
    | 'need.issue'
    | 'need.tags'
    | 'identity.verified'
    | 'billing.amount'
    | 'need.goal'
    | 'technical.environment'
    | `order.${string}.status`
  >()
  expectTypeOf<'order.A17.status'>().toExtend<FieldOf<D>>()
  expectTypeOf<'order.A17.state'>().not.toExtend<FieldOf<D>>()
  expectTypeOf<RoleOf<D>>().toEqualTypeOf<'triage' | 'human'>()
  expectTypeOf(schema.tool).parameter(0).toEqualTypeOf<'triage' | 'human'>()
})

test('[SCH-10] TypeScript knows what each field may hold', () => {
  expectTypeOf<ValueOf<D, 'emotion.state'>>().toEqualTypeOf<'calm' | 'angry'>()
  expectTypeOf<ValueOf<D, 'need.issue'>>().toEqualTypeOf<string>()
  expectTypeOf<ValueOf<D, 'need.tags'>>().toEqualTypeOf<'a' | 'b'>()
  expectTypeOf<ValueOf<D, 'identity.verified'>>().toEqualTypeOf<boolean>()
  expectTypeOf<ValueOf<D, 'billing.amount'>>().toEqualTypeOf<number>()
  expectTypeOf<ValueOf<D, 'need.goal'>>().toEqualTypeOf<string>()
  expectTypeOf<ValueOf<D, 'technical.environment'>>().toEqualTypeOf<{ [key: string]: Json }>()
  expectTypeOf<ValueOf<D, 'order.A17.status'>>().toEqualTypeOf<'paid' | 'shipped'>()
})
