import type { Belief } from '../belief.ts'
import type { ModelAnswer, ObserveAnswer } from '../wire/frame.ts'
import type { Delivery, HandoffDetails, HandoffSeen, OfferSeen } from '../wire/handoff.ts'
import type { SchemaSeen } from '../wire/schema-seen.ts'

/** What the tools of language models are answered with, the same whoever asks: the operations of the agent socket. */
export interface ToolAnswers {
  observe: ObserveAnswer
  correct: ObserveAnswer
  model: ModelAnswer
  context: { readonly user: string; readonly version: string; readonly tokens: number; readonly text: string }
  explain: { readonly field: string; readonly belief: Belief | null; readonly words: readonly WordSeen[] }
  start: Delivery & Pick<ModelAnswer, 'columns'>
  accept: Delivery & Pick<ModelAnswer, 'columns'>
  report: HandoffSeen
  checkpoint: HandoffSeen
  complete: HandoffSeen
  handoff: HandoffSeen
  inspect: HandoffDetails | HandoffSeen
  handoffs: {
    readonly offers: readonly OfferSeen[]
    readonly handoffs: readonly (HandoffSeen & { readonly user?: string })[]
  }
}

interface WordSeen {
  readonly value: unknown
  readonly not: boolean
  readonly agent: string
  readonly role?: string
  readonly basis?: string
  readonly standing: string
  readonly reason: string
  readonly share: number
  readonly at: number
  readonly why?: string
}

/** One agent, as the tools see it: over the SDK in a process of its own, or within the server under its token. */
export interface ToolDesk {
  readonly agent: string
  readonly schema: SchemaSeen
  newId(): string
  /** Rejects with a `SelfsameError`. */
  ask<Op extends keyof ToolAnswers>(op: Op, request: object): Promise<ToolAnswers[Op]>
}
