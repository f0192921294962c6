import { type Detail, type Refusal, SelfsameError } from '../model/error.ts'
import type { ItemOutcome, ObserveAnswer } from '../model/wire/frame.ts'
import type { Entry } from './entry.ts'
import type { Spoken } from './said.ts'

/** What became of one observation; of a retraction, `field` is what it named, if it named one. */
export interface Outcome extends ItemOutcome {
  readonly field: string | undefined
}

export interface Written {
  readonly version: string
  /** In the order in which they were given. */
  readonly outcomes: readonly Outcome[]
}

/** At least one observation was refused. What was admitted stands, unless the write was atomic; `outcomes` has each. */
export class RefusedError extends SelfsameError {
  readonly version: string
  readonly outcomes: readonly Outcome[]

  constructor(refusal: Refusal, { version, outcomes }: Written) {
    super(refusal)
    this.name = 'RefusedError'
    this.version = version
    this.outcomes = outcomes
  }
}

/** The same of a replica, where each word has its own outcome and what is read is what is there. */
export function outcomesOf(words: readonly Spoken[], settled: readonly ItemOutcome[]): readonly Outcome[] {
  const outcomes = settled.map((outcome, i): Outcome => ({ ...outcome, field: words[i]?.field }))
  const refusal = refusalOf(outcomes)
  if (refusal) throw new RefusedError(refusal, { version: '', outcomes })
  return outcomes
}

/** Nothing refused is overlooked: a write that resolves was admitted as a whole, any other rejects. */
export function writtenOf(entry: Entry, answer: ObserveAnswer): Written {
  const fields = fieldsOf(entry)
  const outcomes = answer.outcomes.map((outcome, i): Outcome => ({ ...outcome, field: fields[i] }))
  const written = { version: answer.version, outcomes }
  const refusal = refusalOf(outcomes)
  if (refusal) throw new RefusedError(refusal, written)
  return written
}

/** The first that was refused for itself gives the code: that others of its atomic batch fell with it says less. */
function refusalOf(outcomes: readonly Outcome[]): Refusal | undefined {
  const refused = outcomes.flatMap(({ error, field }) => (error ? [{ ...error, field: field ?? '' }] : []))
  const first = refused.find(({ code }) => code !== 'atomic_refused') ?? refused[0]
  if (!first) return undefined
  const admitted = outcomes.length - refused.length
  const rest = admitted > 0 ? ` (${admitted} of ${outcomes.length} were admitted)` : ''
  const details = refused.map(({ field, message }): Detail => ({ path: field, message }))
  return { code: first.code, message: `${first.field}: ${first.message}${rest}`, details }
}

function fieldsOf(entry: Entry): readonly (string | undefined)[] {
  switch (entry.op) {
    case 'observe':
      return entry.observations.map(({ field }) => field)
    case 'correct':
      return entry.corrections.map(({ field }) => field)
    case 'retract':
      return [entry.retraction.field]
    case 'report':
      return []
  }
}
