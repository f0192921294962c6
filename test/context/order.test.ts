import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unwrap } from '../../model/error.ts'
import type { View } from '../../model/view.ts'
import { contextOf } from '../../server/context/context.ts'
import type { Facts } from '../../server/context/json.ts'
import { law } from '../law.ts'
import { agent, belief, NOW, schema, views } from './sample.ts'

const base = { schema, role: agent, time: NOW, tokens: 32_000 }

function factsOf(view: View, stale = false): Facts {
  const context = unwrap(contextOf({ ...base, view, stale, format: 'json' }))
  if (context.format !== 'json') throw new Error('asked for json')
  return context.context
}

function textOf(view: View, stale = false): string {
  const context = unwrap(contextOf({ ...base, view, stale }))
  if (context.format !== 'markdown') throw new Error('asked for markdown')
  return context.text
}

test('[CTX-7] needs come first in the order of the role, then pins, then fresh, sure and recent ones', () => {
  const view = new Map([
    ['memo.old', belief('x', { lastSeen: NOW - 9_000_000 })],
    ['memo.new', belief('x', { confidence: 0.9501 })],
    ['memo.unsure', belief('x', { confidence: 0.3, lastSeen: NOW })],
    ['memo.fading', belief('x', { confidence: 0.99, status: 'fading' })],
    ['mood.state', belief('calm', { confidence: 0.2, status: 'fading' })],
    ['need.goal', belief('a refund', { confidence: 0.4 })],
    ['need.issue', belief('charge', { confidence: 0.1 })],
    ['order.B2.status', belief('paid', { confidence: 0.5 })],
    ['order.A1.status', belief('paid', { confidence: 0.4 })],
  ])
  expect(factsOf(view).beliefs.map(({ field }) => field)).toEqual([
    ...['order.B2.status', 'order.A1.status', 'need.issue'],
    ...['need.goal', 'mood.state'],
    ...['memo.new', 'memo.old', 'memo.unsure', 'memo.fading'],
  ])
})

test('[CTX-8] it says which needs are known, which are not, and which are only known from long ago', () => {
  const stale = new Map([['need.issue', belief('charge', { status: 'stale' })]])
  expect(factsOf(stale).needs).toEqual({ known: [], missing: ['order.*.status'], stale: ['need.issue'] })
  expect(textOf(stale)).toContain('\nNeeded, not known: order.*.status.\nNeeded, known but stale: need.issue.\n')
  expect(factsOf(stale, true).needs).toEqual({ known: ['need.issue'], missing: ['order.*.status'], stale: [] })
  const denied = new Map([['need.issue', belief(null, { denied: ['charge'], confidence: 0 })]])
  expect(factsOf(denied).needs).toEqual({ known: [], missing: ['order.*.status', 'need.issue'], stale: [] })
  expect(textOf(denied)).toContain('\n- need.issue: not "charge" (denied, 2 h ago)\n')
})

law('[CTX-9] stale beliefs are left out and listed as such, unless they are asked for', views, view => {
  const { beliefs, leftOut } = factsOf(view)
  expect(beliefs.every(({ status }) => status !== 'stale')).toBe(true)
  const old = [...view].filter(
    ([name, { status }]) => status === 'stale' && schema.field(name)?.sensitivity !== 'secret',
  )
  expect(leftOut).toEqual({ budget: 0, stale: old.length })
  expect(
    unwrap(contextOf({ ...base, view }))
      .trimmed.map(({ field }) => field)
      .toSorted(),
  ).toEqual(old.map(([name]) => name).toSorted())
  expect(factsOf(view, true).leftOut).toEqual({ budget: 0, stale: 0 })
})

law('[CTX-10] a secret field changes nothing: neither text, needs, counts nor the report', views, view => {
  const open = new Map([...view].filter(([name]) => schema.field(name)?.sensitivity !== 'secret'))
  for (const format of ['markdown', 'json'] as const) {
    const context = contextOf({ ...base, view, format, stale: true, tokens: 400 })
    expect(context).toEqual(contextOf({ ...base, view: open, format, stale: true, tokens: 400 }))
    expect(JSON.stringify(context)).not.toMatch(/need\.code|bill\.card/)
  }
})

test('[CTX-10] a field that the schema does not know is treated as secret', () => {
  expect(textOf(new Map([['gone.field', belief('x')]]))).toBe(textOf(new Map()))
})

law(
  '[CTX-11] the same beliefs make the same context, in whatever order they come',
  fc.tuple(views, fc.integer({ min: 50, max: 1_500 })),
  ([view, tokens]) => {
    const reversed = new Map([...view].toReversed())
    for (const format of ['markdown', 'json'] as const)
      expect(contextOf({ ...base, view: reversed, tokens, format })).toEqual(
        contextOf({ ...base, view, tokens, format }),
      )
  },
)
