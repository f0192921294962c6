import type { Strategy } from '../../model/handoff/budget.ts'
import type { Envelope } from '../../model/handoff/envelope.ts'
import type { Handoff } from '../../model/handoff/handoff.ts'
import type { Message } from '../../model/handoff/section.ts'
import type { Work } from '../../model/handoff/work.ts'
import type { Told } from '../../model/wire/handoff.ts'

/** A handoff as it is kept: its state, what it carries, and what its sender wants to be told of it. */
export interface Kept {
  readonly user: string
  readonly handoff: Handoff
  readonly message: Message
  readonly envelope: Envelope
  readonly budget: { readonly strategy: Strategy; readonly tokens: number | null }
}

/** What a holder was shown when it accepted: a view as columns, without what is secret. */
export interface ServedPaper {
  readonly asOf: number
  readonly columns: unknown
  /** What it got of what it was pointed to and needs, and the tokens of its narrative if they were counted. */
  readonly completeness?: number
  readonly tokens?: number | null
  readonly told?: Told
}

/** Names of papers: `work:w_1`, `handoff:h_1`, `view:h_1:2` for what the second holder of h_1 was served. */
export const paperOf = {
  work: (id: string): string => `work:${id}`,
  handoff: (id: string): string => `handoff:${id}`,
  broadcast: (id: string): string => `broadcast:${id}`,
  view: (id: string, epoch: number): string => `view:${id}:${epoch}`,
} as const

export const HANDOFFS = 'handoff:'

/** The seal of a paper vouches for its shape. */
export const asKept = (paper: unknown): Kept | undefined => paper as Kept | undefined
export const asWork = (paper: unknown): Work | undefined => paper as Work | undefined
export const asServed = (paper: unknown): ServedPaper | undefined => paper as ServedPaper | undefined
