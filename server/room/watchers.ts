import type { Belief } from '../../model/belief.ts'
import type { Refusal } from '../../model/error.ts'
import type { Patterns } from '../../model/pattern.ts'
import type { Scope } from '../../model/scope.ts'

/** Someone who is told when what they may read of a user changes. */
export interface Watcher {
  readonly scope: Scope
  readonly fields: Patterns
  readonly task: string
  changed(change: Change): void
  /** There is nothing to watch any more. */
  ended(reason: Refusal): void
}

export interface Change {
  readonly asOf: number
  readonly seq: number
  readonly beliefs: ReadonlyMap<string, Belief | undefined>
}

/** Those who watch a user. */
export class Watchers {
  readonly #watchers = new Set<Watcher>()

  add(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  end(reason: Refusal): void {
    for (const watcher of [...this.#watchers]) watcher.ended(reason)
  }

  /** Tells each of them what it may read of these fields and asked for. */
  tell(
    touched: ReadonlySet<string>,
    asOf: number,
    believe: (field: string, task: string) => Belief | undefined,
    lastReadable: (scope: Scope) => number,
  ): void {
    for (const watcher of this.#watchers) {
      const { scope, fields, task } = watcher
      const seen = [...touched].filter(field => scope.read.has(field) && fields.has(field))
      if (seen.length === 0) continue
      const beliefs = new Map(seen.map(field => [field, believe(field, task)]))
      watcher.changed({ asOf, seq: lastReadable(scope), beliefs })
    }
  }
}
