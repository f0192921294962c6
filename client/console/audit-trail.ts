import { type Signal, signal } from '@preact/signals'
import type { AuditEntry, AuditKind } from '../../model/wire/audit.ts'
import { type Desk, SelfsameError } from '../index.ts'

/** What was loaded of who saw and did what of a person, the latest first; `why`: what kept it from being told. */
export type Trail =
  | { readonly name: 'loading' }
  | { readonly name: 'known'; readonly entries: readonly AuditEntry[]; readonly next: string | undefined }
  | { readonly name: 'unknown'; readonly why: string; readonly isForGood: boolean }

/** Of which kind, by whom; undefined: all. */
export interface Asked {
  readonly kind: AuditKind | undefined
  readonly agent: string | undefined
}

const PAGE = 50

/** The audit of one person, page by page. */
export class AuditTrail {
  readonly asked: Signal<Asked> = signal({ kind: undefined, agent: undefined })
  readonly state: Signal<Trail> = signal({ name: 'loading' })
  readonly isLoadingMore = signal(false)
  /** Who was met so far, whatever is asked for now. */
  readonly agents: Signal<readonly string[]> = signal([])
  readonly #user: ReturnType<Desk['user']>

  constructor(desk: Desk, user: string) {
    this.#user = desk.user(user)
  }

  /** From the latest on. */
  async load(asked: Asked): Promise<void> {
    this.asked.value = asked
    this.state.value = { name: 'loading' }
    const next = await this.#page(asked, [])
    if (this.asked.value === asked) this.state.value = next
  }

  async more(): Promise<void> {
    const { value: asked } = this.asked
    const { value: before } = this.state
    if (before.name !== 'known' || before.next === undefined || this.isLoadingMore.value) return
    this.isLoadingMore.value = true
    const next = await this.#page(asked, before.entries, before.next)
    this.isLoadingMore.value = false
    if (this.state.value === before) this.state.value = next
  }

  async #page({ kind, agent }: Asked, before: readonly AuditEntry[], cursor?: string): Promise<Trail> {
    try {
      const { entries, next } = await this.#user.audit({
        limit: PAGE,
        ...(kind && { kind }),
        ...(agent !== undefined && { agent }),
        ...(cursor !== undefined && { cursor }),
      })
      const met = entries.flatMap(({ agent: each }) => each ?? [])
      this.agents.value = [...new Set([...this.agents.value, ...met])].sort()
      return { name: 'known', entries: [...before, ...entries], next }
    } catch (error) {
      const isForGood = error instanceof SelfsameError && !PASSING.includes(error.code)
      return { name: 'unknown', why: error instanceof Error ? error.message : String(error), isForGood }
    }
  }
}

const PASSING: readonly string[] = ['disconnected', 'timed_out', 'overloaded', 'rate_limited', 'stopped']
