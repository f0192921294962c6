import { unwrap } from '../model/error.ts'
import { plain } from '../model/value.ts'
import type { Circumstances, Said } from './fields.ts'
import { newId } from './id.ts'
import { refusal } from './refusal.ts'

/** An observation as it travels. It has its id and its time before it is first sent, so that sending it again is the same. */
export interface Spoken {
  readonly field: string
  readonly value: unknown
  readonly id: string
  readonly at: number | string
  readonly [circumstance: string]: unknown
}

type Item = Said<unknown> & { readonly field: string }

const MAX_OBSERVATIONS = 256

export function itemsOf(given: object | readonly Item[]): readonly Item[] {
  if (isList(given)) return given
  return Object.entries(given).map(
    ([field, said]): Item => (isSaid(said) ? { ...said, field } : { field, value: said }),
  )
}

/** What is common to all holds for each that does not say otherwise. */
export function spoken(items: readonly Item[], common: Circumstances, now: number): readonly Spoken[] {
  if (items.length === 0) throw refusal('bad_request', 'There is nothing to observe.')
  if (items.length > MAX_OBSERVATIONS)
    throw refusal('too_large', `At most ${MAX_OBSERVATIONS} observations at a time, not ${items.length}.`)
  return items.map(item => speak(item, common, now))
}

/**
 * A plain copy: what the caller does to its objects afterwards changes nothing of what is sent again later, and what
 * JSON would turn into something else without a word (NaN, a Date, a class) is refused here.
 */
function speak(item: Item, common: Circumstances, now: number): Spoken {
  const { field, value, ...own } = item
  const circumstances = { ...present(common), ...present(own) }
  unwrap(plain(circumstances))
  return {
    ...circumstances,
    field,
    value: unwrap(plain(value)),
    at: item.at ?? common.at ?? now,
    id: item.id ?? newId(),
  }
}

/** Circumstances are texts and numbers, so that a shallow copy is a copy. */
const present = (object: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined))

const isList = (given: object | readonly Item[]): given is readonly Item[] => Array.isArray(given)

function isSaid(said: unknown): said is Said<unknown> {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return false
  if ('value' in said) return true
  throw refusal('bad_request', 'A record is observed as { value: record }, so that it is not taken for circumstances.')
}
