import { CODES, type Refusal } from '../../model/error.ts'
import { isId } from '../../model/name.ts'
import { type Item, itemOf } from '../room/commit.ts'
import { UNFIT } from './bytes.ts'
import type { Entry } from './inbound.ts'

const NO_OBSERVATION = 'An entry of the outbox is an observation: an object with `field` and `value`.'

/** An entry as an item to be admitted, or why it can't be. Its id is the one it states, else its key. */
export function itemIn({ key, value }: Entry): Item | Refusal {
  if (value === UNFIT || typeof value !== 'object' || value === null || Array.isArray(value))
    return { code: 'bad_request', message: NO_OBSERVATION }
  const { id = key, at }: { id?: unknown; at?: unknown } = value
  if (typeof id !== 'string' || !isId(id)) return { code: 'bad_id', message: CODES.bad_id }
  const item = itemOf('observation', { ...value, id })
  return at === undefined ? { ...item, isUndated: true } : item
}
