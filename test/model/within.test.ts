import fc from 'fast-check'
import { expect } from 'vitest'
import { isWithin, Patterns } from '../../model/pattern.ts'
import { law } from '../law.ts'

const segment = fc.constantFrom('a', 'b', 'c', '*', '**')
const pattern = fc
  .tuple(fc.boolean(), fc.boolean(), fc.array(segment, { minLength: 1, maxLength: 3 }))
  .map(([one, two, segments]) => `${one && two ? '!' : ''}${segments.join('.')}`)
const list = fc.array(pattern, { minLength: 1, maxLength: 3 })
const field = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 }).map(each => each.join('.'))

law(
  '[FLEET-24] a grant that is found to be within another lets nothing through that the other does not; one that repeats it is within it',
  fc.tuple(list, list, fc.array(field, { maxLength: 20 })),
  ([inner, outer, fields]) => {
    expect(isWithin(inner, inner)).toBe(true)
    expect(isWithin(inner, ['**'])).toBe(true)
    if (!isWithin(inner, outer)) return
    const [mine, theirs] = [new Patterns(inner), new Patterns(outer)]
    for (const each of fields) if (mine.has(each)) expect(theirs.has(each), each).toBe(true)
  },
)
