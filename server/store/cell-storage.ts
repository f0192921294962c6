import { AuditCells } from './audit-cells.ts'
import { type Change, type Item, NOBODY, requireKey, type Table } from './cells.ts'
import { checked, numberAt, row, unchecked } from './checked.ts'
import { StorageDamage } from './damage.ts'
import type { GuardedCells } from './guarded-cells.ts'
import { readHead, type StoredHead, writeHead } from './heads.ts'
import type {
  Filing,
  Form,
  Formed,
  LedgerEntry,
  LedgerKey,
  LogRecord,
  Snapshot,
  Storage,
  Stored,
  Tally,
} from './storage.ts'
import { Tallies } from './tallies.ts'
import { Turns } from './turns.ts'

/** Ledger entries looked at between two breaths, so that forgetting a long ledger stops nobody. */
const FORGET_SLICE = 1_000

const TIME_BYTES = 8

/** What is removed of a user in one write, and from which tables. */
const CLEAR_SLICE = 1_000
const OWNED = ['log', 'chunk', 'ledger', 'note', 'trail'] as const

/** A storage of one process over cells, whatever they are kept by. */
export class CellStorage implements Storage {
  readonly failed: Promise<Error>
  readonly audit: AuditCells
  readonly #cells: GuardedCells
  readonly #tallies: Tallies
  readonly #turns = new Turns()

  constructor(cells: GuardedCells) {
    this.#cells = cells
    this.audit = new AuditCells(cells)
    this.#tallies = new Tallies(cells)
    this.failed = cells.failed
  }

  async load(name: string): Promise<Stored> {
    const head = readHead(this.#cells, name)
    return {
      head: { epoch: head.epoch, seq: head.seq },
      snapshot: head.upTo === 0 ? undefined : this.#snapshot(name, head),
      log: [...this.#log(name, head)],
      notes: new Map(this.#notes(name)),
    }
  }

  commit<T>(name: string, claims: readonly LedgerKey[], form: Form<T>): Promise<T> {
    return this.#turns.take(name, async () => {
      const head = readHead(this.#cells, name)
      const known = claims.map(claim => this.#outcome(name, claim))
      const formed = form({ epoch: head.epoch, seq: head.seq }, known)
      await this.#write(name, head, formed)
      return formed.result
    })
  }

  async fold(name: string, epoch: number, snapshot: Snapshot, forgetBefore: number): Promise<boolean> {
    const folded = await this.#turns.take(name, async () => {
      const head = readHead(this.#cells, name)
      if (head.epoch !== epoch) return false
      requireFold(head, snapshot)
      await this.#cells.write(foldChanges(name, head, snapshot))
      return true
    })
    if (folded) await this.forget(name, forgetBefore)
    return folded
  }

  async note(name: string, kind: string, note: Uint8Array): Promise<void> {
    requireKey(kind)
    await this.#cells.write([{ table: 'note', owner: name, item: kind, value: note }])
  }

  tally(agent: string): Tally {
    return this.#tallies.flushed(agent)
  }

  setting(key: string): Uint8Array | undefined {
    const cell = this.#cells.get('setting', NOBODY, key)
    if (!cell) return undefined
    const value = unchecked(cell)
    if (!value) throw new StorageDamage(`The setting ${key} is damaged.`)
    return value
  }

  async putSetting(key: string, value: Uint8Array): Promise<void> {
    requireKey(key)
    await this.#cells.write([{ table: 'setting', owner: NOBODY, item: key, value: checked(value) }])
  }

  paper(name: string, id: string): Uint8Array | undefined {
    return this.#cells.get('paper', name, id)
  }

  *papers(name: string, from?: string): Iterable<readonly [string, Uint8Array]> {
    for (const [id, sealed] of this.#cells.range('paper', name, from)) yield [String(id), sealed]
  }

  whose(id: string): string | undefined {
    const cell = this.#cells.get('whose', NOBODY, id)
    if (!cell) return undefined
    const owner = unchecked(cell)
    if (!owner) throw new StorageDamage(`The owner of the paper ${id} is damaged.`)
    return Buffer.from(owner).toString()
  }

  *open(): Iterable<string> {
    for (const [owner] of this.#cells.range('open', NOBODY)) yield String(owner)
  }

  *names(): Iterable<string> {
    for (const [name] of this.#cells.range('head', NOBODY)) yield String(name)
  }

  clear(name: string, owner: string): Promise<void> {
    return this.#turns.take(name, async () => {
      for (let slice = this.#some(name, owner); slice.length > 0; slice = this.#some(name, owner))
        await this.#cells.write(slice)
    })
  }

  /** The removal of some of what is kept under a name; the head goes last, so that what is left is found again. */
  #some(name: string, owner: string): Change[] {
    const changes: Change[] = []
    for (const [id] of this.#cells.range('paper', name)) {
      changes.push(removal('paper', name, id), removal('whose', NOBODY, id))
      if (changes.length >= CLEAR_SLICE) return changes
    }
    for (const table of OWNED)
      for (const [item] of this.#cells.range(table, name)) {
        changes.push(removal(table, name, item))
        if (changes.length >= CLEAR_SLICE) return changes
      }
    const rest = [removal('head', NOBODY, name), removal('twin', NOBODY, name), removal('open', NOBODY, owner)]
    return [...changes, ...rest.filter(({ table, item }) => this.#cells.get(table, NOBODY, item) !== undefined)]
  }

  async close(): Promise<void> {
    await this.#turns.idle()
    await this.#cells.close()
  }

  async #write(name: string, head: StoredHead, formed: Formed<unknown>): Promise<void> {
    requireFormed(name, head, formed)
    const changes = [
      ...commitChanges(name, head, formed),
      ...this.#tallies.add(formed.tallies),
      ...filingChanges(name, formed.papers),
    ]
    if (changes.length === 0) return
    await this.#cells.write(changes)
    this.#tallies.settle(formed.tallies)
  }

  #outcome(name: string, key: LedgerKey): Uint8Array | undefined {
    const cell = this.#cells.get('ledger', name, key)
    if (!cell) return undefined
    const bytes = unchecked(cell)
    // To take it for unknown would admit the same observation twice.
    if (!bytes) throw new StorageDamage(`The ledger entry ${key} of ${name} is damaged.`)
    return bytes.subarray(TIME_BYTES)
  }

  #snapshot(name: string, head: StoredHead): Snapshot {
    const stored = Array.from({ length: head.chunks }, (_, chunk) => this.#cells.get('chunk', name, chunk))
    return { upTo: head.upTo, chunks: stored.map(chunk => chunk ?? new Uint8Array()) }
  }

  *#log(name: string, head: StoredHead): Iterable<LogRecord> {
    for (const [seq, sealed] of this.#cells.range('log', name, head.upTo + 1)) yield { seq: Number(seq), sealed }
  }

  *#notes(name: string): Iterable<[string, Uint8Array]> {
    for (const [kind, note] of this.#cells.range('note', name)) yield [String(kind), note]
  }

  async forget(name: string, before: number): Promise<void> {
    let from: Item | undefined
    do {
      const slice = take(this.#cells.range('ledger', name, from), FORGET_SLICE + 1)
      from = slice[FORGET_SLICE]?.[0]
      const old = slice.slice(0, FORGET_SLICE).filter(([, cell]) => isBefore(cell, before))
      if (old.length > 0) await this.#cells.write(old.map(([item]) => removal('ledger', name, item)))
      else await new Promise(resolve => setImmediate(resolve))
    } while (from !== undefined)
  }
}

function take<T>(items: Iterable<T>, most: number): T[] {
  const taken: T[] = []
  for (const item of items) {
    taken.push(item)
    if (taken.length === most) break
  }
  return taken
}

function isBefore(cell: Uint8Array, time: number): boolean {
  const bytes = unchecked(cell)
  return bytes !== undefined && numberAt(bytes, 0) < time
}

const removal = (table: Table, owner: string, item: Item): Change => ({
  table,
  owner,
  item,
  value: undefined,
})

function requireFormed(name: string, head: StoredHead, { records, ledger, tallies, papers }: Formed<unknown>): void {
  requireKey(name)
  const filed = papers ? [papers.owner, ...papers.filed, ...papers.written.map(paper => paper.id)] : []
  for (const key of [...ledger.map(entry => entry.key), ...tallies.map(tally => tally.agent), ...filed]) requireKey(key)
  records.forEach((record, index) => {
    if (record.seq !== head.seq + index + 1)
      throw new RangeError(`Record ${head.seq + index + 1} was expected, not ${record.seq}.`)
  })
}

function commitChanges(name: string, head: StoredHead, { records, ledger }: Formed<unknown>): Change[] {
  const moved = records.length > 0 ? writeHead(name, { ...head, seq: head.seq + records.length }) : []
  const log = records.map(({ seq, sealed }): Change => ({ table: 'log', owner: name, item: seq, value: sealed }))
  return [...moved, ...log, ...ledger.map(entry => ledgerChange(name, entry))]
}

/** The papers, who is found by them, and whether anything is open: all or nothing with the commit. */
function filingChanges(name: string, filing: Filing | undefined): Change[] {
  if (!filing) return []
  const { owner, written, filed, isOpen } = filing
  const found = checked(Buffer.from(owner))
  return [
    ...written.map(({ id, sealed }): Change => ({ table: 'paper', owner: name, item: id, value: sealed })),
    ...written.flatMap(({ id, sealed }) => (sealed ? [] : [removal('whose', NOBODY, id)])),
    ...filed.map((id): Change => ({ table: 'whose', owner: NOBODY, item: id, value: found })),
    { table: 'open', owner: NOBODY, item: owner, value: isOpen ? Uint8Array.of(1) : undefined },
  ]
}

function ledgerChange(name: string, { key, outcome, time }: LedgerEntry): Change {
  return { table: 'ledger', owner: name, item: key, value: checked(Buffer.concat([row(time), outcome])) }
}

function requireFold(head: StoredHead, { upTo }: Snapshot): void {
  if (upTo < head.upTo || upTo > head.seq || upTo < 1)
    throw new RangeError(`A fold up to ${upTo} lies outside ${head.upTo}..${head.seq}.`)
}

function foldChanges(name: string, head: StoredHead, { upTo, chunks }: Snapshot): Change[] {
  const folded = Array.from({ length: upTo - head.upTo }, (_, index) => removal('log', name, head.upTo + index + 1))
  const surplus = Array.from({ length: Math.max(0, head.chunks - chunks.length) }, (_, index) =>
    removal('chunk', name, chunks.length + index),
  )
  const written = chunks.map((value, item): Change => ({ table: 'chunk', owner: name, item, value }))
  return [...writeHead(name, { ...head, upTo, chunks: chunks.length }), ...folded, ...surplus, ...written]
}
