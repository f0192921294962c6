import { type Cells, type Change, NOBODY } from './cells.ts'

/** One entry of the audit, and by which owner's trail it can be found. */
export interface AuditCell {
  readonly number: number
  readonly owner: string
  readonly record: Uint8Array
}

/** The part of a storage that keeps the audit: records by number, and for each owner the numbers of its own. */
export class AuditCells {
  readonly #cells: Cells

  constructor(cells: Cells) {
    this.#cells = cells
  }

  append(entries: readonly AuditCell[]): Promise<void> {
    return this.#cells.write(
      entries.flatMap(({ number, owner, record }): Change[] => [
        { table: 'audit', owner: NOBODY, item: number, value: record },
        { table: 'trail', owner, item: number, value: PRESENT },
      ]),
    )
  }

  get(number: number): Uint8Array | undefined {
    return this.#cells.get('audit', NOBODY, number)
  }

  last(): readonly [number, Uint8Array] | undefined {
    for (const [number, record] of this.#cells.backwards('audit', NOBODY)) return [Number(number), record]
    return undefined
  }

  *from(first: number): Iterable<readonly [number, Uint8Array]> {
    for (const [number, record] of this.#cells.range('audit', NOBODY, first)) yield [Number(number), record]
  }

  /** The latest first, below a number if it is given. */
  *trail(owner: string, below?: number): Iterable<number> {
    for (const [number] of this.#cells.backwards('trail', owner, below)) yield Number(number)
  }

  remove(entries: readonly { readonly number: number; readonly owner: string }[]): Promise<void> {
    return this.#cells.write(
      entries.flatMap(({ number, owner }): Change[] => [
        { table: 'audit', owner: NOBODY, item: number, value: undefined },
        { table: 'trail', owner, item: number, value: undefined },
      ]),
    )
  }
}

const PRESENT = Uint8Array.of(1)
