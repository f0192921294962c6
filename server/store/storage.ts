import type { AuditCells } from './audit-cells.ts'

/**
 * Where a desk's users are kept. One commit is one user's: it is formed against the head as it is stored, written whole
 * or not at all, and settles only when the disk has it. Commits of many users may share one flush.
 *
 * A storage holds sealed bytes under opaque names. It knows no user id, no field and no agent, so that destroying a
 * user's key leaves nothing to read (see archive.ts).
 */
export interface Storage {
  /** All that is stored of a user as of the last durable commit; of a new user an empty log at sequence 0. */
  load(name: string): Promise<Stored>

  /**
   * Forms a commit and makes it durable. `form` is called once, with the stored head and the outcomes already in the
   * ledger for `claims`, by position. It must not wait; what it throws rejects the commit, and nothing is written.
   * Commits of one user are formed one after another, each against what the one before it left.
   */
  commit<T>(name: string, claims: readonly LedgerKey[], form: Form<T>): Promise<T>

  /**
   * Replaces the log up to `snapshot.upTo` by the snapshot's chunks; later records stay. False, and nothing is written,
   * when the user's epoch is another one by now. Ledger entries from before `forgetBefore` are dropped, in transactions
   * of their own after the fold's.
   */
  fold(name: string, epoch: number, snapshot: Snapshot, forgetBefore: number): Promise<boolean>

  /** Drops ledger entries from before a time, some at a time. */
  forget(name: string, before: number): Promise<void>

  /** Small sealed notes beside the log, written behind: what is lost of them in a crash must not matter. */
  note(name: string, kind: string, note: Uint8Array): Promise<void>

  /** What agents claimed and what proved right, over all users. */
  tally(agent: string): Tally

  /** Revocations and the like: few, small, read whole at start. */
  setting(key: string): Uint8Array | undefined
  putSetting(key: string, value: Uint8Array): Promise<void>

  /** Sealed papers of a user besides the log: written with a commit, read one by one. */
  paper(name: string, id: string): Uint8Array | undefined
  papers(name: string, from?: string): Iterable<readonly [id: string, sealed: Uint8Array]>

  /** Under which of its own names the owner of a paper was filed; undefined when it never was. */
  whose(id: string): string | undefined

  /** The owners that have something open, as filed. */
  open(): Iterable<string>

  names(): Iterable<string>

  /** Removes all that is kept under a name, and what its owner's papers are found by. Its audit entries stay in the chain. */
  clear(name: string, owner: string): Promise<void>

  /** Who did what, in order. */
  readonly audit: AuditCells

  /** Settles when everything handed over is durable and the storage is closed. */
  close(): Promise<void>

  /** Settles, with the reason, once a write failed or a flush was overdue. Nothing may be served from then on. */
  readonly failed: Promise<Error>
}

export interface Head {
  /** Rises when a user is erased or restored, so that nobody goes on with what is no longer so. */
  readonly epoch: number
  /** Sequence number of the last record ever written; never reused. */
  readonly seq: number
}

export interface Stored {
  readonly head: Head
  readonly snapshot: Snapshot | undefined
  /** Records after the snapshot, by sequence number. */
  readonly log: readonly LogRecord[]
  readonly notes: ReadonlyMap<string, Uint8Array>
}

export interface Snapshot {
  readonly upTo: number
  /** When loaded, one that is missing is empty, so that the others keep their places. */
  readonly chunks: readonly Uint8Array[]
}

export interface LogRecord {
  readonly seq: number
  readonly sealed: Uint8Array
}

/** Digest of who said it and under which id, in hexadecimal: see archive.ts. */
export type LedgerKey = string

export interface LedgerEntry {
  readonly key: LedgerKey
  /** The final outcome, as bytes that mean something to the committer only. */
  readonly outcome: Uint8Array
  readonly time: number
}

export type Form<T> = (head: Head, known: readonly (Uint8Array | undefined)[]) => Formed<T>

/** What a commit writes. Records carry consecutive sequence numbers from head.seq + 1 on. Empty: nothing is written. */
export interface Formed<T> {
  readonly records: readonly LogRecord[]
  readonly ledger: readonly LedgerEntry[]
  readonly tallies: readonly TallyChange[]
  readonly papers?: Filing
  readonly result: T
}

/** Papers of a commit, and by what their owner can be found again. */
export interface Filing {
  /** The owner's name in this directory: opaque, and not the name of its log. */
  readonly owner: string
  readonly written: readonly Paper[]
  /** Papers by whose ids alone the owner can be found. */
  readonly filed: readonly string[]
  /** Whether anything of the owner is open from now on. */
  readonly isOpen: boolean
}

export interface Paper {
  readonly id: string
  /** Undefined removes it. */
  readonly sealed: Uint8Array | undefined
}

export interface Tally {
  readonly claimed: number
  readonly delivered: number
}

export interface TallyChange extends Tally {
  readonly agent: string
}

/** The storage gave no definite answer, so it must not be asked again: the process ends and resolves by id at restart. */
export class StorageFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StorageFailure'
  }
}
