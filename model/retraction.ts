import type { Retraction } from './evidence.ts'
import type { Field } from './field.ts'
import { belongs, Patterns } from './pattern.ts'

/** A retraction ready to be asked what it covers. */
export interface Recall {
  readonly id: string
  readonly retraction: Retraction
  readonly within: Patterns
}

export const recallOf = (retraction: Retraction): Recall => ({
  id: retraction.id,
  retraction,
  within: new Patterns(...retraction.within),
})

/** What of a word a retraction asks for. */
export interface Said {
  readonly at: number
  readonly agent: string
  readonly interaction: string
  readonly source?: string | undefined
  readonly carrier: { readonly field: string; readonly origin?: string }
}

/** Retractions are kept in one order wherever they arrive, so that the same one is named as responsible everywhere. */
export const compareRecalls = ({ retraction: a }: Recall, { retraction: b }: Recall): number =>
  a.received - b.received || a.seq - b.seq || (a.id < b.id ? -1 : 1)

/** Whether it can cover anything in a field that goes by this name now. */
export const concerns = (recall: Recall, name: string, field: Field): boolean =>
  reaches(recall, name) ||
  (field.was.length > 0 &&
    (recall.retraction.field === undefined || field.was.some(old => belongs(recall.retraction.field ?? '', old))))

/**
 * A retraction names a field by the name of its day: that under which the word was said, or that of today. Said under
 * another name of the person, it takes back only what was said under that name.
 */
export const covers = (recall: Recall, name: string, term: Said): boolean => {
  const { received, agent, interaction, source, origin } = recall.retraction
  return (
    (origin === undefined || origin === term.carrier.origin) &&
    term.at <= received &&
    (agent === undefined || agent === term.agent) &&
    (interaction === undefined || interaction === term.interaction) &&
    (source === undefined || source === term.source) &&
    (reaches(recall, name) || reaches(recall, term.carrier.field))
  )
}

/** Whether it names, and its author could write, a field by this name. */
export const reaches = ({ retraction, within }: Recall, name: string): boolean =>
  (retraction.field === undefined || retraction.field === name) && within.has(name)
