import { type Cells, type Change, NOBODY } from './cells.ts'
import { checked, numberAt, row, unchecked } from './checked.ts'
import { StorageDamage } from './damage.ts'
import type { Tally, TallyChange } from './storage.ts'

/**
 * What agents claimed and delivered. Commits of several users may change one agent's tally before any of them is
 * flushed; as writes take effect in order, each adds to what the one before it will leave.
 */
export class Tallies {
  readonly #cells: Cells
  readonly #unflushed = new Map<string, Tally & { writes: number }>()

  constructor(cells: Cells) {
    this.#cells = cells
  }

  flushed(agent: string): Tally {
    const cell = this.#cells.get('tally', NOBODY, agent)
    if (!cell) return { claimed: 0, delivered: 0 }
    const bytes = unchecked(cell)
    if (!bytes) throw new StorageDamage(`The tally of an agent is damaged: ${agent}.`)
    return { claimed: numberAt(bytes, 0), delivered: numberAt(bytes, 1) }
  }

  /** The cells to write with the commit; once that is flushed, `settle` is told. */
  add(changes: readonly TallyChange[]): Change[] {
    // Damage is told before anything is added: what is added is also written.
    for (const { agent } of changes) this.#last(agent)
    return changes.map(change => {
      const last = this.#last(change.agent)
      const claimed = last.claimed + change.claimed
      const delivered = last.delivered + change.delivered
      this.#unflushed.set(change.agent, { claimed, delivered, writes: last.writes + 1 })
      return { table: 'tally', owner: NOBODY, item: change.agent, value: checked(row(claimed, delivered)) }
    })
  }

  settle(changes: readonly TallyChange[]): void {
    for (const { agent } of changes) {
      const last = this.#unflushed.get(agent)
      if (last && last.writes > 1) this.#unflushed.set(agent, { ...last, writes: last.writes - 1 })
      else this.#unflushed.delete(agent)
    }
  }

  #last(agent: string): Tally & { writes: number } {
    return this.#unflushed.get(agent) ?? { ...this.flushed(agent), writes: 0 }
  }
}
