import { batch, type Signal, signal } from '@preact/signals'
import type { Belief } from '../../model/belief.ts'

/** What is believed of one field, and when its value last became another while this was looked at. */
export interface Fact {
  readonly belief: Belief
  readonly changed: number | undefined
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

  /** What was told first is the state, and no change. */
  tell(beliefs: { readonly [field: string]: Belief | null | undefined }, at: number): void {
    batch(() => {
      const isFirst = this.fields.peek() === undefined
      const known = this.#facts.size
      let isFewer = false
      for (const [field, belief] of Object.entries(beliefs))
        if (belief) this.#set(field, belief, isFirst ? undefined : at)
        else isFewer = this.#facts.delete(field) || isFewer
      if (isFirst || isFewer || this.#facts.size !== known) this.fields.value = [...this.#facts.keys()]
    })
  }

  #set(field: string, belief: Belief, at: number | undefined): void {
    const fact = this.#facts.get(field)
    if (!fact) {
      this.#facts.set(field, signal({ belief, changed: at }))
      return
    }
    const { belief: before, changed } = fact.peek()
    const isSame = JSON.stringify(before.value) === JSON.stringify(belief.value)
    fact.value = { belief, changed: isSame ? changed : at }
  }
}
