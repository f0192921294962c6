import type { Fact } from './fact.ts'
import { asOf, type Format, type LeftOut, NOTE } from './page.ts'
import type { Needs } from './ranking.ts'

/** A context as data. Its texts are as inert as between the quotes of the markdown, for it ends up in prompts as well. */
export interface Facts {
  readonly note: string
  readonly asOf: string
  readonly needs: Needs
  readonly beliefs: readonly Fact[]
  readonly leftOut: LeftOut
}

export const json: Format<Facts> = {
  write: ({ time, needs, facts, leftOut }) => ({ note: NOTE, asOf: asOf(time), needs, beliefs: facts, leftOut }),
  textOf: facts => JSON.stringify(facts),
  part: fact => `${JSON.stringify(fact)},`,
}
