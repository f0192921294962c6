import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unwrap } from '../../model/error.ts'
import { type Context, contextOf, MAX_TOKENS, MIN_TOKENS } from '../../server/context/context.ts'
import { o200k, type Tokenizer } from '../../server/context/tokenizer.ts'
import { law } from '../law.ts'
import { agent, belief, clerk, NOW, schema, views } from './sample.ts'

const base = { schema, role: agent, time: NOW }

/** Counters of which a whole is more, and less, than the sum of its parts. */
const counters: Tokenizer[] = [o200k, text => Math.ceil(text.length ** 1.15 / 8), text => Math.ceil(text.length ** 0.9)]

const requests = fc.record({
  view: views,
  tokens: fc.oneof(fc.integer({ min: MIN_TOKENS, max: 600 }), fc.integer({ min: MIN_TOKENS, max: 6_000 })),
  format: fc.constantFrom('markdown' as const, 'json' as const),
  stale: fc.boolean(),
  role: fc.constantFrom(agent, clerk),
  count: fc.constantFrom(...counters),
})

const sent = (context: Context): string => (context.format === 'json' ? JSON.stringify(context.context) : context.text)

const namesIn = (context: Context): string[] =>
  context.format === 'json'
    ? context.context.beliefs.map(({ field }) => field)
    : [...context.text.matchAll(/^- ([\w.-]+): /gm)].map(found => found[1] ?? '')

law('[CTX-1] no context takes more tokens than were asked for, and it says how many it takes', requests, request => {
  const result = contextOf({ ...base, ...request })
  if (!result.ok) return
  expect(result.value.tokens).toBe(request.count(sent(result.value)))
  expect(result.value.tokens).toBeLessThanOrEqual(request.tokens)
})

law('[CTX-2] a refused budget is told the least that does, and that much is granted', requests, request => {
  const result = contextOf({ ...base, ...request, tokens: MIN_TOKENS })
  if (result.ok) return
  expect(result.error.code).toBe('bad_request')
  const least = Number(/(\d+) tokens at least/.exec(result.error.message)?.[1])
  expect(least).toBeGreaterThan(MIN_TOKENS)
  if (least > MAX_TOKENS) return
  expect(contextOf({ ...base, ...request, tokens: least }).ok).toBe(true)
  expect(contextOf({ ...base, ...request, tokens: least - 1 }).ok).toBe(false)
})

test('[CTX-3] the budget is 1,200 tokens unless one is given, a whole number from 50 to 32,000', () => {
  const view = new Map(Array.from({ length: 500 }, (_, i) => [`memo.m${i}`, belief('a few words to remember')]))
  const { tokens } = unwrap(contextOf({ ...base, view }))
  expect(tokens).toBeLessThanOrEqual(1_200)
  expect(tokens).toBeGreaterThan(1_150)
  for (const bad of [0, -1, 49, 32_001, 60.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    const refused = contextOf({ ...base, view, tokens: bad })
    expect(refused).toMatchObject({ ok: false, error: { code: 'bad_request', details: [{ path: 'tokens' }] } })
  }
  for (const good of [50, 32_000]) expect(contextOf({ ...base, role: clerk, view, tokens: good }).ok).toBe(true)
})

law('[CTX-4] needs and pins are never trimmed; values are shortened first', requests, request => {
  const result = contextOf({ ...base, ...request })
  if (!result.ok) return
  for (const { field, reason } of result.value.trimmed) {
    if (reason !== 'budget') continue
    const { name, pinned } = schema.field(field) ?? {}
    expect(pinned).toBe(false)
    expect(request.role.needs).not.toContain(name)
  }
})

test('[CTX-4] a long text in a pinned field does not make a context impossible', () => {
  const view = new Map([
    ['need.goal', belief('\u{1f9ff}\u0338'.repeat(4_000))],
    ['mood.state', belief('\u{e0041}'.repeat(4_000))],
  ])
  const context = unwrap(contextOf({ ...base, view, tokens: 300 }))
  expect(namesIn(context).toSorted()).toEqual(['mood.state', 'need.goal'])
})

law('[CTX-5] every field of the view is shown or listed as trimmed, but for secrets', requests, request => {
  const result = contextOf({ ...base, ...request })
  if (!result.ok) return
  const told = [...namesIn(result.value), ...result.value.trimmed.map(({ field }) => field)]
  const readable = [...request.view.keys()].filter(name => schema.field(name)?.sensitivity !== 'secret')
  expect(told.toSorted()).toEqual(readable.toSorted())
})

test('[CTX-6] the work is bounded by the budget, not by how much is stored', () => {
  const view = new Map(Array.from({ length: 2_000 }, (_, i) => [`memo.m${i}`, belief('é'.repeat(16_384))]))
  let counted = 0
  const count: Tokenizer = text => {
    counted += text.length
    return o200k(text)
  }
  unwrap(contextOf({ ...base, view, count }))
  expect(counted).toBeLessThan(30_000)
})

test('[CTX-6] one fact too large for what is left does not keep smaller ones out', () => {
  const view = new Map([
    ['memo.a', belief('\u{1f9ff}\u0338'.repeat(190), { confidence: 0.99 })],
    ['memo.b', belief('small', { confidence: 0.5 })],
  ])
  const context = unwrap(contextOf({ ...base, view, tokens: 150 }))
  expect(namesIn(context)).toEqual(['memo.b'])
  expect(context.trimmed).toEqual([{ field: 'memo.a', reason: 'budget' }])
})
