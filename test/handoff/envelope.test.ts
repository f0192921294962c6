import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LEAVES, projected, readVersion, sealEnvelope, type Unsalted, verifies } from '../../model/handoff/envelope.ts'
import { sha256 } from '../../model/handoff/sha256.ts'
import { Patterns } from '../../model/pattern.ts'
import type { Json } from '../../model/value.ts'
import { law } from '../law.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const mac = (text: string) => createHmac('sha256', 'key').update(text).digest('hex')

law(
  '[HAND-6] what pages compute as SHA-256 is what Node computes',
  fc.string({ unit: 'binary', maxLength: 300 }),
  text => {
    expect(sha256(text)).toBe(digest(text.toWellFormed()))
  },
)

const FIELDS = ['a.x', 'a.y', 'b.x', 'b.y']
const section: fc.Arbitrary<Unsalted> = fc.record({
  name: fc.constantFrom('threads', 'history', 'links'),
  fields: fc.subarray(FIELDS),
  body: fc.array(
    fc.json({ maxDepth: 2 }).map((text): Json => JSON.parse(text)),
    { maxLength: 3 },
  ),
})
const sections = fc.array(section, { maxLength: 90 })
const scope = fc
  .subarray(['a.*', 'b.*', 'a.x', '!b.x', '!a.x'])
  .map(read => ({ read: new Patterns(read), write: new Patterns([]) }))

law(
  '[HAND-7] whatever part of an envelope may be read verifies, and a changed, added or moved section does not',
  fc.tuple(sections, scope),
  ([given, reader]) => {
    const envelope = sealEnvelope('h_1', 'root-before', '1.0', given, { digest, mac })
    const seen = projected(envelope, reader)
    expect(verifies(seen, sha256, 'root-before')).toBe(true)
    expect(verifies(seen, sha256, 'another')).toBe(false)
    for (const each of seen.sections) for (const field of each.fields) expect(reader.read.has(field)).toBe(true)
    const [first] = seen.sections
    if (first) {
      const changed = { ...first, body: [...(first.body as Json[]), 'x'] }
      expect(verifies({ ...seen, sections: [changed] }, digest)).toBe(false)
      expect(verifies({ ...seen, sections: [{ ...first, salt: mac('other') }] }, digest)).toBe(false)
    }
    expect(verifies({ ...seen, leaves: seen.leaves.slice(1) }, digest)).toBe(false)
  },
)

law(
  '[HAND-8] what is hidden shows by nothing: not by number, order or size of what is seen',
  fc.tuple(sections, sections),
  ([open, hidden]) => {
    const reader = { read: new Patterns(['b.*']), write: new Patterns([]) }
    const mine = open.slice(0, 20).map(each => ({ ...each, fields: [] }))
    const theirs = hidden.slice(0, 20).map(each => ({ ...each, fields: ['a.x'] }))
    const seen = (all: readonly Unsalted[]) => projected(sealEnvelope('h_1', null, '1.0', all, { digest, mac }), reader)
    const [without, within] = [seen(mine), seen([...mine, ...theirs])]
    expect(within.sections).toEqual(without.sections)
    expect(within.leaves).toHaveLength(LEAVES)
    expect(JSON.stringify(within)).toHaveLength(JSON.stringify(without).length)
    expect([...within.leaves].sort()).toEqual(within.leaves)
  },
)

test('[HAND-9] a later minor version is taken, another major one is not', () => {
  expect(readVersion('1.0')).toEqual({ ok: true, value: 'known' })
  expect(readVersion('1.7')).toEqual({ ok: true, value: 'newer' })
  for (const version of ['2.0', '0.9', 'one', ''])
    expect(readVersion(version)).toMatchObject({ error: { code: 'version_unsupported' } })
})
