import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitted, STRATEGIES } from '../../model/handoff/budget.ts'
import { may } from '../../model/handoff/grant.ts'
import type { Part } from '../../model/handoff/narrative.ts'
import { reported, triaged, type Work, withRules, workSeen } from '../../model/handoff/work.ts'
import { Patterns } from '../../model/pattern.ts'
import { desk } from '../../model/sample/desk.ts'
import { o200k } from '../../server/context/tokenizer.ts'
import { law } from '../law.ts'

const part: fc.Arbitrary<Part> = fc.record({
  title: fc.constantFrom('Intent', 'Threads', 'Known'),
  name: fc.uuid(),
  text: fc.lorem({ maxCount: 30 }),
  required: fc.boolean(),
  ref: fc.uuid(),
})
const strategy = fc.constantFrom(...STRATEGIES)

law(
  '[HAND-10] no strategy tells more tokens than allowed, leaves out what must be told, or keeps quiet about what it left out',
  fc.tuple(fc.array(part, { maxLength: 12 }), strategy, fc.integer({ min: 20, max: 600 })),
  ([parts, how, allowed]) => {
    const told = fitted(parts, how, allowed, o200k)
    if (!told.ok) {
      expect(told.error.code).toBe('over_budget')
      return
    }
    const { text, report } = told.value
    expect(o200k(text)).toBeLessThanOrEqual(allowed)
    expect(report.used).toBe(o200k(text))
    for (const each of parts)
      if (each.required || !report.trimmed.some(({ what }) => what === each.name)) expect(text).toContain(each.text)
  },
)

const by = { agent: 'ann', role: 'triage' }
const all = { read: new Patterns(['**']), write: new Patterns(['**']) }
const empty: Work = {
  id: 'w',
  user: 'u',
  task: null,
  intent: { words: 'x', goal: null },
  constraints: [],
  exclusions: [],
  threads: [],
  validations: [],
  environment: [],
  agreements: [],
  history: [],
  chain: [],
  extra: {},
}
const share = fc.double({ min: 0, max: 1, noNaN: true })
const threads = fc.array(fc.record({ urgency: share, fragility: share }), { maxLength: 10 })

law('[HAND-11] threads come in the order of urgency × fragility, then of age', threads, given => {
  const report = { threads: given.map((each, i) => ({ ...each, id: `t${i}`, goal: 'g' })) }
  const made = reported(empty, report, { by, scope: all, now: 1, newId: () => 'n' })
  if (!made.ok) throw new Error(made.error.message)
  const order = triaged(made.value.threads)
  for (const [i, thread] of order.entries()) {
    const next = order[i + 1]
    if (next) expect(thread.urgency * thread.fragility).toBeGreaterThanOrEqual(next.urgency * next.fragility)
  }
})

const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 })

law(
  '[HAND-12] constraints are only added, each once, whatever later hops say',
  fc.array(texts, { maxLength: 6 }),
  hops => {
    let rules: ReturnType<typeof withRules> = []
    for (const [hop, each] of hops.entries()) {
      const next = withRules(rules, each, by, hop)
      expect(next.slice(0, rules.length)).toEqual(rules)
      rules = next
    }
    expect(rules.map(({ text }) => text).sort()).toEqual([...new Set(hops.flat())].sort())
  },
)

test('[HAND-13] who can’t read a piece neither sees nor changes it, and is not told that it is there', () => {
  const report = {
    threads: [
      { id: 't', goal: 'secret', fields: ['emotion.state'] },
      { id: 'o', goal: 'open', links: [{ field: 'emotion.state', why: 'tone' }] },
    ],
  }
  const made = reported(empty, report, { by, scope: all, now: 1, newId: () => 'n' })
  const less = { read: new Patterns(['need.*']), write: new Patterns([]) }
  if (!made.ok) throw new Error(made.error.message)
  const seen = workSeen(made.value, less)
  expect(seen.threads).toMatchObject([{ id: 'o', links: [] }])
  const mine = reported(
    made.value,
    { threads: [{ id: 't', goal: 'mine' }] },
    { by, scope: less, now: 2, newId: () => 'n' },
  )
  if (!mine.ok) throw new Error(mine.error.message)
  expect(workSeen(mine.value, less).threads.find(({ id }) => id === 't')).toMatchObject({ goal: 'mine' })
  expect(
    workSeen(mine.value, all)
      .threads.filter(({ id }) => id === 't')
      .map(({ goal }) => goal)
      .sort(),
  ).toEqual(['mine', 'secret'])
})

test('[HAND-14] a grant answers for actions of the role, within bounds, until it ends', () => {
  const billing = desk.roles.get('billing')
  if (!billing) throw new Error('no role')
  const grant = {
    fields: null,
    actions: { refund: { amount: { max: 50 } }, erase: {} },
    principal: 'u',
    expires: 100,
    by: 'ann',
  }
  expect(may(grant, billing, 'refund', { amount: 50 }, 99)).toEqual({ allowed: true })
  expect(may(grant, billing, 'refund', { amount: 51 }, 99)).toMatchObject({ allowed: false })
  expect(may(grant, billing, 'refund', {}, 99)).toMatchObject({ allowed: false })
  expect(may(grant, billing, 'refund', { amount: '1' }, 99)).toMatchObject({ allowed: false })
  expect(may(grant, billing, 'change_plan', {}, 99)).toMatchObject({ allowed: false })
  expect(may(grant, billing, 'erase', {}, 99)).toMatchObject({ allowed: false })
  expect(may(grant, billing, 'refund', { amount: 1 }, 100)).toMatchObject({ allowed: false })
  expect(may({ ...grant, revoked: 5 }, billing, 'refund', { amount: 1 }, 99)).toMatchObject({ allowed: false })
  expect(may({ ...grant, actions: null }, billing, 'change_plan', {}, 99)).toEqual({ allowed: true })
})
