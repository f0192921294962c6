import { expect, test } from 'vitest'
import { unwrap } from '../../model/error.ts'
import { desk } from '../../model/sample/desk.ts'
import { strictDesk } from '../../model/sample/strict-desk.ts'

const AREAS = ['need', 'emotion', 'expertise', 'preference', 'identity', 'billing', 'technical', 'history']
const concrete = [...desk.fields.keys()].filter(name => !name.includes('*'))

test('[SCH-11] the desk has at least 25 fields over every area, among them the ones others rely on', () => {
  expect(desk.fields.size).toBeGreaterThanOrEqual(25)
  for (const area of AREAS) expect(concrete.some(name => name.startsWith(`${area}.`))).toBe(true)
  for (const field of desk.fields.values()) expect(field.description).not.toBe('')
  expect(desk.field('need.issue')).toMatchObject({ kind: 'choice', values: undefined })
  expect(desk.field('emotion.state')?.values).toEqual(expect.arrayContaining(['frustrated', 'calm']))
  expect(desk.field('expertise.level')?.values).toEqual(['low', 'moderate', 'high'])
  expect(desk.field('preference.communication')?.values).toContain('direct')
  for (const name of ['identity.verified', 'identity.allergies', 'billing.plan', 'billing.card_last4'])
    expect(desk.field(name)).toBeDefined()
  expect(desk.field('identity.allergies')?.halfLife).toBe(Number.POSITIVE_INFINITY)
  expect(desk.field('billing.card_last4')?.sensitivity).toBe('secret')
})

test('[SCH-12] the roles of the desk read what they should', () => {
  expect([...desk.roles.keys()]).toEqual(['triage', 'billing', 'tech', 'human', 'supervisor', 'subject'])
  const reads = (role: string) => concrete.filter(name => unwrap(desk.role(role)).read.has(name))
  expect(reads('triage')).toEqual(concrete.filter(name => !name.startsWith('billing.')))
  expect(reads('billing')).toEqual(concrete.filter(name => /^(need|billing|preference|identity)\./.test(name)))
  expect(reads('human')).toEqual(concrete)
})

test('[SCH-13] the first minutes need no handoff; the strict desk asks for one', () => {
  for (const [name, role] of desk.roles) {
    expect(role.reach).toBe(name === 'subject' ? 'self' : 'all')
    expect(role.trust).toBe(1)
  }
  for (const name of ['triage', 'billing', 'tech', 'human'])
    expect(unwrap(strictDesk.role(name)).reach).toBe('assigned')
  expect([...strictDesk.fields.keys()]).toEqual([...desk.fields.keys()])
})
