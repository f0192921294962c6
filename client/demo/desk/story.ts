import type { desk } from '../../../model/sample/desk.ts'
import type { ByField } from '../../index.ts'

export type Beliefs = ByField<(typeof desk)['definition']>

/** What one made-up user came for, and how agents get on with it. Nobody here is real. */
export interface Story {
  readonly user: string
  readonly words: string
  readonly goal: string
  /** What triage learns, by how many hours ago. */
  readonly heard: readonly { readonly hours: number; readonly beliefs: Beliefs }[]
  readonly thread: string
  readonly approach: string
  readonly triedInVain: string
  readonly constraint?: string
  readonly promise?: string
  readonly to: 'billing' | 'tech'
  readonly reason: string
  /** What the next agent finds out. */
  readonly found: Beliefs
  readonly decision: { readonly what: string; readonly why: string }
  readonly check: string
  readonly note?: string
  readonly urgency: number
  /** Left out: the agent solves it without a person. */
  readonly escalation?: {
    readonly to: 'human' | 'supervisor'
    readonly reason: string
    readonly next: string
    readonly actions: Readonly<Record<string, Readonly<Record<string, { readonly max: number }>>>>
  }
  /** What the mood changes between while they wait. */
  readonly moods: readonly ('calm' | 'satisfied' | 'anxious' | 'confused' | 'frustrated' | 'angry')[]
}
