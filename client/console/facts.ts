import { batch, type Signal, signal } from '@preact/signals'
import type { Belief } from '../../model/belief.ts'
import type { Json } from '../../model/value.ts'

/** What is believed of one field, and what was when this was first looked at; undefined: nothing. */
export interface Fact {
  readonly belief: Belief
  readonly first: Json | undefined
}

/** What is believed of one user, with a signal for each field: what changes redraws its own row and nothing else. */
export class Facts {
  /** Of which fields anything is believed; undefined until that is known. */
  readonly fields = signal<readonly string[] | undefined>(undefined)
  readonly #facts = new Map<string, Signal<Fact>>()

  of(field: string): Signal<Fact> | undefined {
    return this.#facts.get(field)
  }

  /** To be read once, not followed. */
  get beliefs(): [string, Belief][] {
    return [...this.#facts].map(([field, fact]) => [field, fact.peek().belief])
  }

  tell(beliefs: { readonly [field: string]: Belief | null | undefined }): void {
    batch(() => {
      const isFirst = this.fields.peek() === undefined
      const known = this.#facts.size
      let isFewer = false
      for (const [field, belief] of Object.entries(beliefs))
        if (belief) this.#set(field, belief, isFirst)
        else isFewer = this.#facts.delete(field) || isFewer
      if (isFirst || isFewer || this.#facts.size !== known) this.fields.value = [...this.#facts.keys()]
    })
  }

  /** Someone has been given the brief just now: from here on is what changes since. */
  begin(): void {
    batch(() => {
      for (const fact of this.#facts.values()) {
        const { belief } = fact.peek()
        fact.value = { belief, first: belief.value }
      }
    })
  }

  #set(field: string, belief: Belief, isFirst: boolean): void {
    const fact = this.#facts.get(field)
    if (fact) fact.value = { belief, first: fact.peek().first }
    else this.#facts.set(field, signal({ belief, first: isFirst ? belief.value : undefined }))
  }
}
