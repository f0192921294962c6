import type { Basis } from './definition.ts'
import type { Json } from './value.ts'

/**
 * Evidence: what was admitted, as plain data that is stored, synced and exported as it stands. It never changes; a set
 * of it only grows, and two sets merge by union.
 */
export type Evidence = Word | Pack | Sum | Retraction

/** Where several names of one person are read as one: the other name that something was said under. Never stored. */
interface Named {
  readonly origin?: string
}

/** One admitted observation, stamped by the server. Of an observation of several elements of a set: one of them. */
export interface Word extends Named {
  readonly type: 'word'
  readonly id: string
  readonly field: string
  readonly value: Json
  /** Present when the word denies the value. */
  readonly not?: true
  /** What the agent claimed, at most MAX_CONFIDENCE; what it was trusted then; the product is what counts. */
  readonly confidence: number
  readonly trust: number
  /** 1 for a person's word that settles, else 0. */
  readonly rank: 0 | 1
  /** Present when the agent restates what it had been served: it agrees, and adds nothing. */
  readonly echo?: true
  readonly basis: Basis
  readonly agent: string
  readonly role: string
  readonly interaction: string
  readonly episode: string
  readonly task?: string
  readonly source?: string
  readonly why?: string
  readonly at: number
  readonly received: number
  /** Place in the order of arrival within the field: it tells nothing of what else was written. */
  readonly seq: number
}

/** Agents' words for one value by one agent, folded without loss of anything that could still matter. */
export interface Pack extends Named {
  readonly type: 'pack'
  readonly id: string
  readonly field: string
  readonly value: Json
  readonly not?: true
  readonly agent: string
  readonly role: string
  readonly task?: string
  readonly parts: readonly Part[]
}

export interface Part {
  readonly id: string
  readonly interaction: string
  readonly episode: string
  readonly source?: string
  readonly basis: Basis
  readonly confidence: number
  readonly trust: number
  readonly at: number
  readonly seq: number
}

/** Parts of a pack that no admissible word can tell apart any more, as one weight. */
export interface Sum extends Named {
  readonly type: 'sum'
  readonly id: string
  readonly field: string
  readonly value: Json
  readonly not?: true
  readonly agent: string
  readonly role: string
  readonly interaction: string
  readonly source?: string
  readonly episodes: readonly string[]
  /** Time, sequence and id of the latest part; `weight` is the parts' weight at that time. */
  readonly at: number
  readonly seq: number
  readonly last: string
  readonly weight: number
  readonly claimed: number
}

/** Removes every word that matches all the keys given, lies within the fields given and was said by `received`. */
export interface Retraction extends Named {
  readonly type: 'retraction'
  readonly id: string
  readonly by: string
  readonly role: string
  readonly agent?: string
  readonly interaction?: string
  readonly source?: string
  readonly field?: string
  /** The fields its author could write when it was made, as lists of patterns: it reaches no further. */
  readonly within: readonly (readonly string[])[]
  readonly why?: string
  readonly received: number
  readonly seq: number
}

interface Placed {
  readonly at: number
  readonly seq: number
  readonly id: string
}

/** The order ≺ of words: by time, then by the order of arrival, then by id. */
export function compare(a: Placed, b: Placed): number {
  return a.at - b.at || a.seq - b.seq || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}
