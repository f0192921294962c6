import fc from 'fast-check'
import { expect } from 'vitest'
import * as Y from 'yjs'
import { unwrap } from '../../model/error.ts'
import type { Word } from '../../model/evidence.ts'
import { type Json, plain } from '../../model/value.ts'
import { fieldAuthor } from '../../server/replica/author.ts'
import { stateVectorOf, updateOf } from '../../server/replica/encoding.ts'
import { FieldDocument } from '../../server/replica/field-document.ts'
import { readStateVector } from '../../server/replica/state-vector.ts'
import { law } from '../law.ts'

/** What one author wrote: at each clock a value, or nothing any more. */
interface Written {
  readonly author: number
  readonly at: readonly (Json | undefined)[]
}

/** Numbers on both sides of every way in which lib0 writes one, and strings of every length of UTF-8. */
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 63, 64, -64, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, 0.5, 0.1, 1e300),
)
const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', 'x'.repeat(200), 'é€😀'))
const { value: anything } = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

/** As admission would let them pass. */
const values = anything
  .map(plain)
  .filter(({ ok }) => ok)
  .map(unwrap)

const authors = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(fieldAuthor)

const written = (each: fc.Arbitrary<Json | undefined>): fc.Arbitrary<Written[]> =>
  fc.uniqueArray(fc.record({ author: authors, at: fc.array(each, { maxLength: 12 }) }), {
    selector: ({ author }) => author,
    maxLength: 4,
  })

const whole = written(values)
const withGaps = written(fc.option(values, { nil: undefined, freq: 2 }))

const wordOf = (value: Json, clock: number): Word => ({
  type: 'word',
  id: `w${clock}`,
  field: 'need.issue',
  value,
  confidence: 0.9,
  trust: 1,
  rank: 0,
  basis: 'heard',
  agent: 'a1',
  role: 'agent',
  interaction: '@a1',
  episode: 'e',
  at: 1_900_000_000_000 + clock,
  received: 1_900_000_000_000 + clock,
  seq: clock,
})

const keyOf = (author: number, clock: number): string => `${author.toString(36)}.${clock.toString(36)}`

function fieldOf({ author, at }: Written): FieldDocument {
  const field = new FieldDocument(author)
  for (const [clock, value] of at.entries()) if (value !== undefined) field.put(clock, wordOf(value, clock))
  field.extend(at.length)
  return field
}

/** All that is lacking by who has the authors up to these clocks. */
function encoded(fields: readonly FieldDocument[], has: ReadonlyMap<number, number> = new Map()): Uint8Array {
  const lacks = fields.map(field => field.since(has.get(field.author) ?? 0))
  return updateOf(
    lacks.map(({ structs }) => structs),
    lacks.map(({ deletions }) => deletions),
  )
}

const docOf = (...updates: readonly Uint8Array[]): Y.Doc => {
  const doc = new Y.Doc()
  for (const update of updates) Y.applyUpdate(doc, update)
  return doc
}

/** The same written by Yjs: one client for each author. */
function writtenByYjs(fields: readonly Written[]): Y.Doc {
  const updates = fields.map(({ author, at }) => {
    const doc = new Y.Doc()
    doc.clientID = author
    for (const [clock, value] of at.entries())
      doc.getMap('evidence').set(keyOf(author, clock), { ...wordOf(value ?? null, clock) })
    return Y.encodeStateAsUpdate(doc)
  })
  return docOf(...updates)
}

const standing = (fields: readonly Written[]): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap(({ author, at }) =>
      at.flatMap((value, clock) => (value === undefined ? [] : [[keyOf(author, clock), wordOf(value, clock)]])),
    ),
  )

const nextOf = (fields: readonly Written[]) =>
  new Map(fields.filter(({ at }) => at.length > 0).map(({ author, at }) => [author, at.length]))

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

law(
  '[REP-50] an update is byte for byte what Yjs writes where clients with these ids set these keys',
  whole,
  fields => {
    const doc = writtenByYjs(fields)
    expect(hex(encoded(fields.map(fieldOf)))).toBe(hex(Y.encodeStateAsUpdate(doc)))
    expect(hex(stateVectorOf(nextOf(fields)))).toBe(hex(Y.encodeStateVector(doc)))
    expect(readStateVector(Y.encodeStateVector(doc))).toEqual(nextOf(fields))
  },
)

law(
  '[REP-51] an update with gaps is byte for byte what Yjs writes of what it has read, from any clocks on',
  fc.tuple(withGaps, fc.array(fc.nat({ max: 12 }), { minLength: 4, maxLength: 4 })),
  ([fields, known]) => {
    const documents = fields.map(fieldOf)
    const update = encoded(documents)
    const doc = docOf(update)
    expect(hex(Y.encodeStateAsUpdate(doc))).toBe(hex(update))
    expect(doc.getMap('evidence').toJSON()).toEqual(standing(fields))
    const has = new Map(fields.map(({ author, at }, i) => [author, Math.min(known[i] ?? 0, at.length)]))
    expect(hex(encoded(documents, has))).toBe(hex(Y.encodeStateAsUpdate(doc, stateVectorOf(has))))
  },
)

law(
  '[REP-52] who held what is deleted since then, and who never did, end with the same document',
  fc.tuple(withGaps, fc.array(fc.nat({ max: 12 }), { minLength: 4, maxLength: 4 })),
  ([fields, known]) => {
    const before = fields.map(({ author, at }, i) => ({
      author,
      at: at.slice(0, known[i]).map(value => (value === undefined ? 'gone' : value)),
    }))
    const held = docOf(encoded(before.map(fieldOf)))
    const documents = fields.map(fieldOf)
    Y.applyUpdate(held, encoded(documents, nextOf(before)))
    const fresh = docOf(encoded(documents))
    expect(held.getMap('evidence').toJSON()).toEqual(standing(fields))
    expect(hex(Y.encodeStateVector(held))).toBe(hex(Y.encodeStateVector(fresh)))
    expect(held.store.pendingStructs).toBeNull()
    expect(held.store.pendingDs).toBeNull()
  },
)
