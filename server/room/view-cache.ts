import type { Scope } from '../../model/scope.ts'
import type { View } from '../../model/view.ts'
import { columnsOf } from '../../model/wire/columns.ts'

/** A view as it is served, and its encodings once someone has asked for them. */
export class ServedView {
  readonly asOf: number
  readonly view: View
  /** The last write that is readable in it. */
  readonly seq: number
  #columns: string | undefined
  #json: string | undefined

  constructor(asOf: number, view: View, seq: number) {
    this.asOf = asOf
    this.view = view
    this.seq = seq
  }

  get columns(): string {
    this.#columns ??= JSON.stringify(columnsOf(this.view))
    return this.#columns
  }

  get json(): string {
    this.#json ??= JSON.stringify(Object.fromEntries(this.view))
    return this.#json
  }
}

const MAX_TASKS = 16

/** Whole views by scope and task, each until a write touches it and at most for a moment. */
export class ViewCache {
  readonly #age: number
  readonly #byScope = new Map<Scope, Map<string, ServedView>>()

  constructor(age: number) {
    this.#age = age
  }

  get(scope: Scope, task: string, now: number, make: () => ServedView): ServedView {
    const byTask = this.#byScope.get(scope) ?? new Map<string, ServedView>()
    const known = byTask.get(task)
    if (known && now - known.asOf < this.#age && now >= known.asOf) return known
    const made = make()
    if (byTask.size >= MAX_TASKS) byTask.clear()
    byTask.set(task, made)
    this.#byScope.set(scope, byTask)
    return made
  }

  /** Forgets the views that could show one of these fields. */
  touch(fields: Iterable<string>): void {
    const touched = [...fields]
    for (const scope of this.#byScope.keys())
      if (touched.some(field => scope.read.has(field))) this.#byScope.delete(scope)
  }

  clear(): void {
    this.#byScope.clear()
  }
}
