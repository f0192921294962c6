import { expect, test } from 'vitest'
import { RefusedError, SelfsameError } from '../../client/index.ts'
import { deskAt, scripted } from './desk-at.ts'
import { type Asked, idsOf } from './scripted-server.ts'

const refusing = (asked: Asked, refused: Record<number, string>) => ({
  version: 'v3',
  outcomes: idsOf(asked).map((id, i) =>
    refused[i] ? { id, status: 'refused', error: { code: refused[i], message: 'no' } } : { id, status: 'admitted' },
  ),
})

test('[SDK-6] what is common to all holds for each that does not say otherwise, and null is left out', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const written = desk.user('u_42').observe(
    {
      'need.issue': 'refund',
      'emotion.state': { value: 'angry', confidence: 0.88, basis: 'heard', interaction: 'i2', why: null },
      'technical.tried': ['restart', 'reinstall'],
      'technical.environment': { value: { os: 'mac' } },
    },
    { interaction: 'i1', basis: 'seen', task: 't1' },
  )
  const asked = await peer.asked()
  expect(asked).toMatchObject({ op: 'observe', user: 'u_42' })
  expect(asked.observations).toMatchObject([
    { field: 'need.issue', value: 'refund', interaction: 'i1', basis: 'seen', task: 't1' },
    { field: 'emotion.state', value: 'angry', confidence: 0.88, interaction: 'i2', basis: 'heard', task: 't1' },
    { field: 'technical.tried', value: ['restart', 'reinstall'] },
    { field: 'technical.environment', value: { os: 'mac' } },
  ])
  expect(asked.observations?.[1]).not.toHaveProperty('why')
  peer.admit(asked)
  await written
})

test('[SDK-6] what the caller changes afterwards does not change what is sent again', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const environment = { os: 'mac' }
  const written = desk.user('u_42').observe({ 'technical.environment': { value: environment } })
  const first = await peer.asked()
  environment.os = 'changed'
  peer.drop()
  const next = await server.greeted()
  const second = await next.asked()
  expect(second.observations).toEqual(first.observations)
  next.admit(second)
  await written
})

test('[SDK-7] any refused observation rejects the write, with the outcome of each', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const written = desk.user('u_42').observe({ 'need.issue': 'refund', 'need.urgency': 'sometime', 'need.goal': 'x' })
  const asked = await peer.asked()
  peer.answer(asked, refusing(asked, { 1: 'bad_value' }))
  const error = await written.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(RefusedError)
  expect(error).toBeInstanceOf(SelfsameError)
  expect(error).toMatchObject({
    code: 'bad_value',
    details: [{ path: 'need.urgency', message: 'no' }],
    version: 'v3',
    outcomes: [{ status: 'admitted' }, { status: 'refused', field: 'need.urgency' }, { status: 'admitted' }],
  })
})

test('[SDK-7] of an atomic batch the observation at fault gives the code', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const written = desk.user('u_42').observe({ 'need.issue': 'refund', 'need.urgency': 'sometime' }, { atomic: true })
  const asked = await peer.asked()
  expect(asked['atomic']).toBe(true)
  peer.answer(asked, refusing(asked, { 0: 'atomic_refused', 1: 'bad_value' }))
  await expect(written).rejects.toMatchObject({ code: 'bad_value', message: expect.stringContaining('need.urgency') })
})

test('[SDK-7] a refused request rejects with its code and details', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const written = desk.user('u_42').observe({ 'need.issue': 'refund' })
  const { id } = await peer.asked()
  const details = [{ path: 'user', message: 'who?' }]
  peer.send({ id, error: { code: 'user_unavailable', message: 'No such user.', details } })
  await expect(written).rejects.toMatchObject({ code: 'user_unavailable', message: 'No such user.', details })
})

test('[SDK-8] what JSON would change without a word is refused before anything is sent', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  await expect(user.observe({ x: Number.NaN })).rejects.toMatchObject({ code: 'bad_value' })
  await expect(user.observe({ x: { value: 'y', confidence: Number.NaN } })).rejects.toMatchObject({ code: 'bad_value' })
  // @ts-expect-error a Date is no JSON
  await expect(user.observe({ x: { value: new Date() } })).rejects.toMatchObject({ code: 'bad_value' })
  // @ts-expect-error a function is no JSON
  await expect(user.observe({ x: () => 1 })).rejects.toMatchObject({ code: 'bad_value' })
  // @ts-expect-error a record must be wrapped
  await expect(user.observe({ x: { os: 'mac' } })).rejects.toMatchObject({ code: 'bad_request' })
  await expect(user.observe({})).rejects.toMatchObject({ code: 'bad_request' })
  expect(peer.unread).toBe(0)
})

test('[SDK-8] a request larger than the server takes is refused here and does not cost the connection', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const user = desk.user('u_42')
  const long = 'ü'.repeat(10_000)
  const many = Array.from({ length: 20 }, (_, i) => ({ field: `note.${i}`, value: long }))
  await expect(user.observe(many)).rejects.toMatchObject({ code: 'too_large' })
  const tooMany = Array.from({ length: 257 }, () => ({ field: 'note', value: 1 }))
  await expect(user.observe(tooMany)).rejects.toMatchObject({ code: 'too_large' })
  const small = user.observe({ note: 'x' })
  peer.admit(await peer.asked())
  await small
})

test('[SDK-9] people correct and deny as people, an agent denies by observing', async () => {
  const server = await scripted()
  const person = await deskAt(server, { greeting: { agent: 'pat', role: 'human' } })
  const corrected = person.desk.user('u_42').correct('emotion.state', 'calm', { why: 'I asked' })
  const correction = await person.peer.asked()
  expect(correction).toMatchObject({
    op: 'correct',
    corrections: [{ field: 'emotion.state', value: 'calm', why: 'I asked' }],
  })
  person.peer.answer(correction, { version: 'v1', outcomes: [{ id: 'x', status: 'admitted' }] })
  expect((await corrected).outcomes).toMatchObject([{ field: 'emotion.state' }])

  const denied = person.desk.user('u_42').deny('emotion.state', 'angry')
  const denial = await person.peer.asked()
  expect(denial).toMatchObject({ op: 'correct', corrections: [{ value: 'angry', not: true }] })
  person.peer.answer(denial, { version: 'v1', outcomes: [{ id: 'x', status: 'admitted' }] })
  await denied

  const agent = await deskAt(server)
  const doubted = agent.desk.user('u_42').deny('emotion.churn_risk', true)
  const observed = await agent.peer.asked()
  expect(observed).toMatchObject({ op: 'observe', observations: [{ value: true, not: true }] })
  agent.peer.admit(observed)
  await doubted
})

test('[SDK-9] a retraction has an id and is sent again like any write', async () => {
  const server = await scripted()
  const { desk, peer } = await deskAt(server)
  const retracted = desk.user('u_42').retract({ interaction: 'i1', why: 'wrong user' })
  const first = await peer.asked()
  expect(first).toMatchObject({ op: 'retract', retraction: { interaction: 'i1', id: expect.any(String) } })
  peer.drop()
  const next = await server.greeted()
  const second = await next.asked()
  expect(second['retraction']).toEqual(first['retraction'])
  next.answer(second, { version: 'v1', outcomes: [{ id: 'x', status: 'admitted' }] })
  await retracted
})
