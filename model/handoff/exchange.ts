import type { Scope } from '../scope.ts'
import type { Party } from './party.ts'
import { isReadable } from './readable.ts'

/** For some time after an accept the one who handed on is still there: it may read, and answer what it is asked. */
export interface Overlap {
  readonly with: Party
  /** What it could read by its own grant; null leaves all of its role's. */
  readonly fields: readonly string[] | null
  readonly until: number
  /** Of which holding. It ends with it. */
  readonly epoch: number
}

/** A question and its answer. Each is tagged with the fields it speaks of. */
export interface Exchange {
  readonly id: string
  readonly question: Said
  readonly answer: Said | null
}

export interface Said {
  readonly by: Party
  readonly at: number
  readonly text: string
  readonly fields: readonly string[]
}

/** What the holder has asked for since it accepted, of the user or of whoever handed it on. */
export interface Inquiry {
  /** Of which holding. */
  readonly epoch: number
  readonly fields: readonly string[]
}

/** What was asked and answered, as one scope may see it; everyone sees what they said. */
export const exchangeSeen = (exchange: readonly Exchange[] = [], scope: Scope, agent: string): Exchange[] =>
  exchange
    .filter(({ question }) => isSeen(question, scope, agent))
    .map(each => (each.answer && !isSeen(each.answer, scope, agent) ? { ...each, answer: null } : each))

const isSeen = ({ by, fields }: Said, scope: Scope, agent: string): boolean =>
  by.agent === agent || isReadable(scope, fields)
