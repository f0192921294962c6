import type { Refusal } from '../../model/error.ts'

/** What became of one observation, once and for all: resending its id gives the same answer. */
export type Outcome = Admitted | Refused

export interface Admitted {
  readonly status: 'admitted' | 'echo'
}

export interface Refused {
  readonly status: 'refused'
  readonly error: Refusal
}
