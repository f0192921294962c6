import type { Belief } from './belief.ts'
import type { Field } from './field.ts'
import { type Json, keyOf } from './value.ts'

/** Something is believed of it, and not too faded to go by: who may read it need not ask. */
export const isKnown = (belief: Belief | undefined): belief is Belief =>
  belief !== undefined && belief.value !== null && belief.status !== 'stale'

/** Whether what someone says of a field is what is believed of it already. Several elements of a set: all of them. */
export function isTold({ kind, tolerance }: Field, belief: Belief, value: Json): boolean {
  const believed = belief.value
  if (kind === 'number') return Math.abs(Number(believed) - Number(value)) <= tolerance
  if (kind === 'text') return plainly(believed) === plainly(value)
  if (kind !== 'set') return keyOf(believed) === keyOf(value)
  const elements = new Set((believed as Json[]).map(keyOf))
  return (Array.isArray(value) ? value : [value]).every(element => elements.has(keyOf(element)))
}

/** People do not say a text twice in the same letters. */
const plainly = (text: Json): string => String(text).trim().replaceAll(/\s+/g, ' ').toLowerCase()
