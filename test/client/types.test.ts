import { expect, expectTypeOf, test } from 'vitest'
import type { Desk, User, UserModel } from '../../client/index.ts'
import { connect } from '../../client/index.ts'
import type { Definition } from '../../model/infer.ts'
import { desk as sample } from '../../model/sample/desk.ts'
import type { Json } from '../../model/value.ts'
import { connecting, deskAt, scripted } from './desk-at.ts'

type Sample = (typeof sample)['definition']

/** Never called: the compiler is what tests it. */
async function typed(user: User<Sample>, model: UserModel<Sample>): Promise<void> {
  await user.observe({ 'emotion.state': 'angry', 'need.issue': 'anything short' })
  await user.observe({ 'emotion.state': { value: 'angry', confidence: 0.88, basis: 'inferred' } })
  await user.observe({ 'order.A17.status': 'shipped', 'billing.disputed_amount': 12.5, 'emotion.churn_risk': true })
  await user.observe({ 'identity.accessibility': ['captions', 'large_text'], 'technical.tried': 'restart' })
  await user.observe({ 'technical.environment': { value: { os: 'mac' } } })
  await user.observe([{ field: 'emotion.state', value: 'calm', why: null, not: null, basis: null }])
  // @ts-expect-error not one of the values
  await user.observe({ 'emotion.state': 'nope' })
  // @ts-expect-error not one of the values, in the long form
  await user.observe({ 'emotion.state': { value: 'nope' } })
  // @ts-expect-error no such field
  await user.observe({ 'emotion.stat': 'angry' })
  // @ts-expect-error not one of the values of the family
  await user.observe({ 'order.A17.status': 'lost' })
  // @ts-expect-error a number
  await user.observe({ 'billing.disputed_amount': '12.5' })
  // @ts-expect-error a choice holds one value
  await user.observe({ 'emotion.state': ['angry', 'calm'] })
  // @ts-expect-error not an element of the set
  await user.observe({ 'identity.accessibility': ['captions', 'loud'] })
  // @ts-expect-error a record is wrapped
  await user.observe({ 'technical.environment': { os: 'mac' } })
  // @ts-expect-error no such basis
  await user.observe({ 'emotion.state': { value: 'angry', basis: 'guessed' } })
  // @ts-expect-error in a list, too
  await user.observe([{ field: 'emotion.state', value: 'nope' }])
  // @ts-expect-error a list item that mixes one field's name with another's value
  await user.observe([{ field: 'need.urgency', value: 'angry' }])

  await user.correct('emotion.state', 'calm', { why: 'I asked' })
  await user.deny('emotion.state', 'angry')
  // @ts-expect-error not one of the values
  await user.correct('emotion.state', 'nope')
  // @ts-expect-error no such field
  await user.explain('emotion.stat')

  expectTypeOf(model.get('emotion.state')?.value).toEqualTypeOf<
    'calm' | 'satisfied' | 'anxious' | 'confused' | 'frustrated' | 'angry' | null | undefined
  >()
  expectTypeOf(model.get('emotion.churn_risk')?.value).toEqualTypeOf<boolean | null | undefined>()
  expectTypeOf(model.get('billing.disputed_amount')?.value).toEqualTypeOf<number | null | undefined>()
  expectTypeOf(model.get('need.issue')?.value).toEqualTypeOf<string | null | undefined>()
  expectTypeOf(model.get('technical.tried')?.value).toEqualTypeOf<readonly string[] | null | undefined>()
  expectTypeOf(model.get('order.A17.status')?.value).toEqualTypeOf<
    'placed' | 'paid' | 'shipped' | 'delivered' | 'returned' | 'cancelled' | null | undefined
  >()
  expectTypeOf(model.get('technical.environment')?.value).toEqualTypeOf<{ [key: string]: Json } | null | undefined>()
  expectTypeOf(model.get('need.urgency')?.denied).toEqualTypeOf<
    readonly ('low' | 'normal' | 'high' | 'critical')[] | undefined
  >()
  expectTypeOf(model.get('need.urgency')?.confidence).toEqualTypeOf<number | undefined>()
  // @ts-expect-error no such field
  model.get('emotion.stat')

  user.watch(['emotion.*'], change => {
    expectTypeOf(change.beliefs['emotion.churn_risk']?.value).toEqualTypeOf<boolean | null | undefined>()
  })
  expectTypeOf(user.context({ tokens: 1_200 })).toEqualTypeOf<Promise<string>>()
  expectTypeOf(user.context({ format: 'json' })).resolves.toHaveProperty('context')
}

/** Without a model: strings and JSON. */
async function untyped(user: User<Definition>, model: UserModel<Definition>): Promise<void> {
  await user.observe({ 'what.ever': 'x', 'some.number': 3, 'a.set': ['x', 'y'], 'a.record': { value: { x: [1] } } })
  await user.correct('what.ever', { x: 1 })
  expectTypeOf(model.get('what.ever')?.value).toEqualTypeOf<Json | undefined>()
  // @ts-expect-error a Date is no JSON
  await user.observe({ 'what.ever': new Date() })
}

test('[SDK-31] fields and values are inferred from the model given to connect', async () => {
  expectTypeOf(typed).toBeFunction()
  expectTypeOf(untyped).toBeFunction()
  expectTypeOf(
    connect({ url: '', token: '', model: sample, timeout: 1 }).catch(() => undefined),
  ).resolves.toEqualTypeOf<Desk<Sample> | undefined>()
  expectTypeOf(connect({ url: '', token: '' }).catch(() => undefined)).resolves.toEqualTypeOf<
    Desk<Definition> | undefined
  >()
  const server = await scripted()
  const { desk, peer } = await deskAt(server, { model: sample })
  const written = desk.user('u_42').observe({ 'emotion.state': 'angry' })
  peer.admit(await peer.asked())
  await written
})

test('[SDK-31] a model whose fields are of another kind than the server holds is refused', async () => {
  const server = await scripted()
  const { defineModel } = await import('../../model/schema.ts')
  const other = defineModel({
    fields: { 'emotion.state': { kind: 'number' }, 'only.here': { kind: 'flag' } },
    roles: { triage: { read: ['**'], write: ['**'] } },
  })
  const desk = connecting(server, { model: other })
  await server.greeted()
  await expect(desk).rejects.toMatchObject({ code: 'bad_schema', message: expect.stringContaining('emotion.state') })
})
