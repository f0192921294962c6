import { isFieldName } from './name.ts'

/**
 * Field patterns: `*` stands for one segment, `**` for any number, a leading `!` denies. A deny wins wherever it stands
 * in the list, so that no order of lines opens what one of them closes.
 *
 *     ['**', '!billing.**']   all but billing
 *     ['order.*.status']      the status of every order
 */
interface Pattern {
  readonly deny: boolean
  readonly segments: readonly string[]
}

const SHAPE = /^!?([A-Za-z0-9_-]{1,64}|\*\*?)(\.([A-Za-z0-9_-]{1,64}|\*\*?)){0,7}$/
const MAX_REMEMBERED = 10_000

export const isPattern = (text: string): boolean => SHAPE.test(text)

const parse = (text: string): Pattern => {
  const deny = text.startsWith('!')
  return { deny, segments: (deny ? text.slice(1) : text).split('.') }
}

type Meets = (pattern: string, name: string) => boolean

const equal: Meets = (pattern, name) => pattern === '*' || pattern === name
const overlapping: Meets = (pattern, name) => pattern === '*' || name === '*' || pattern === name

function match(pattern: readonly string[], name: readonly string[], meets: Meets, p = 0, n = 0): boolean {
  if (p === pattern.length) return n === name.length
  const segment = pattern[p] as string
  if (segment === '**') {
    for (let skip = n; skip <= name.length; skip++) if (match(pattern, name, meets, p + 1, skip)) return true
    return false
  }
  return n < name.length && meets(segment, name[n] as string) && match(pattern, name, meets, p + 1, n + 1)
}

/** How much of a field or family the patterns let through. */
export type Coverage = 'none' | 'some' | 'all'

/** A set of fields: those that every one of its lists lets through. */
export class Patterns {
  readonly lists: readonly (readonly string[])[]
  readonly #compiled: readonly (readonly Pattern[])[]
  readonly #remembered = new Map<string, boolean>()

  constructor(...lists: readonly (readonly string[])[]) {
    this.lists = lists
    this.#compiled = lists.map(list => list.map(parse))
  }

  and(other: Patterns): Patterns {
    return new Patterns(...this.lists, ...other.lists)
  }

  has(field: string): boolean {
    const known = this.#remembered.get(field)
    if (known !== undefined) return known
    const answer = isFieldName(field) && this.coverage(field) === 'all'
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(field, answer)
    return answer
  }

  /** Of a family such as `order.*.status`: `all` when every member is in, `some` when one could be. */
  coverage(family: string): Coverage {
    const name = family.split('.')
    const each = this.#compiled.map(list => coverageBy(list, name))
    if (each.includes('none')) return 'none'
    return each.includes('some') ? 'some' : 'all'
  }
}

function coverageBy(list: readonly Pattern[], name: readonly string[]): Coverage {
  const any = (deny: boolean, meets: Meets) =>
    list.some(pattern => pattern.deny === deny && match(pattern.segments, name, meets))
  if (!any(false, overlapping) || any(true, equal)) return 'none'
  return any(false, equal) && !any(true, overlapping) ? 'all' : 'some'
}

/** Whether one pattern could match anything in a field or family; tells a typo from a rule. */
export const touches = (pattern: string, family: string): boolean =>
  match(parse(pattern).segments, family.split('.'), overlapping)

/** Whether a concrete field name belongs to a field or family. */
export const belongs = (field: string, family: string): boolean => match(family.split('.'), field.split('.'), equal)

const within: Meets = (outer, inner) => inner !== '**' && equal(outer, inner)

/**
 * Whether all that one list lets through is let through by another, whatever fields there are. Where it can't be told from
 * the patterns alone, it is not.
 */
export function isWithin(inner: readonly string[], outer: readonly string[]): boolean {
  const [mine, theirs] = [inner.map(parse), outer.map(parse)]
  const denied = (by: Pattern) => mine.some(({ deny, segments }) => deny && match(segments, by.segments, within))
  const apart = (one: Pattern, by: Pattern) =>
    ![...one.segments, ...by.segments].includes('**') && !match(by.segments, one.segments, overlapping)
  return mine
    .filter(({ deny }) => !deny)
    .every(
      one =>
        theirs.some(({ deny, segments }) => !deny && match(segments, one.segments, within)) &&
        theirs.filter(({ deny }) => deny).every(by => denied(by) || apart(one, by)),
    )
}
