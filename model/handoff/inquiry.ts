import type { Handoff } from './handoff.ts'

/** Of what is asked for beyond these no count is kept. */
const MAX_FIELDS = 256

/** The fields that the holder has asked for so far. */
export const inquired = (handoff: Handoff): readonly string[] =>
  handoff.inquiry?.epoch === handoff.epoch ? handoff.inquiry.fields : []

export function inquire(handoff: Handoff, asked: readonly string[]): Handoff {
  const known = inquired(handoff)
  const fields = [...new Set([...known, ...asked])].slice(0, MAX_FIELDS)
  return fields.length === known.length ? handoff : { ...handoff, inquiry: { epoch: handoff.epoch, fields } }
}
