import type { Report } from '../model/handoff/work.ts'
import type { Spoken } from './said.ts'

/** A write as it waits in the outbox, as plain data. */
export type Entry = Observing | Correcting | Retracting | Reporting

interface Kept {
  /** Its name in the outbox. */
  readonly key: string
  /** Whose word it is: an outbox is never sent on behalf of another agent. */
  readonly agent: string
  readonly user: string
  /** The handoff by which it is said: refused once another holds it. */
  readonly under?: Under
}

export interface Under {
  readonly handoff: string
  readonly epoch: number
}

export interface Observing extends Kept {
  readonly op: 'observe'
  readonly observations: readonly Spoken[]
  readonly atomic?: true
}

export interface Correcting extends Kept {
  readonly op: 'correct'
  readonly corrections: readonly Spoken[]
}

export interface Retracting extends Kept {
  readonly op: 'retract'
  readonly retraction: Withdrawn
}

/** What the holder of some work has put down about it. */
export interface Reporting extends Kept {
  readonly op: 'report'
  readonly under: Under
  readonly report: Report
}

export interface Withdrawn {
  readonly id: string
  readonly agent?: string
  readonly interaction?: string
  readonly source?: string
  readonly field?: string
  readonly why?: string
}

/** Where writes are kept until they are answered, so that they outlive the process. */
export interface Place {
  /** What was kept by an earlier process and never answered, in order. Called once, first. */
  load(): Promise<readonly Entry[]>
  /** Resolves when the entry would survive a crash; nothing is sent before. */
  append(entry: Entry): Promise<void>
  /** An entry whose removal is lost is sent again, which the server settles to the same outcome. */
  remove(key: string): Promise<void>
  close(): Promise<void>
}

/** As the server is asked for it. */
export function questionOf({ key: _, agent: __, ...entry }: Entry): object {
  if (entry.op !== 'report') return entry
  const { op, under, report } = entry
  return { op, ...under, ...report }
}
