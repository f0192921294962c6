import type { Handoff, State } from '../../model/handoff/handoff.ts'

/** What is asked for when frames are looked for: enough to leave one out without reading it. */
export interface FrameEntry {
  readonly id: string
  readonly made: number
  readonly outcome: State['name']
  /** Who sent, held, declined or ended it. */
  readonly agents: readonly string[]
}

export const FRAMES = 'frame:'

const LAST_TIME = 999_999_999_999_999
const LAST_HOP = 999

/**
 * Names of papers by which frames are found, the latest first: what is made at 1764000000000 as hop 2 is filed as
 *
 *     frame:998235999999999.997:h_1
 */
export const frameKey = ({ made, hop, id }: Handoff): string =>
  `${beginningAt(made)}.${digits(LAST_HOP - hop, 3)}:${id}`

export const isFrameKey = (text: string): boolean => /^frame:\d{15}\.\d{3}:[ -~]{1,200}$/.test(text)

/** Such a name, or where those of a time begin. */
export const isPlace = (text: string): boolean => isFrameKey(text) || /^frame:\d{15}$/.test(text)

/** Where frames begin that were made then or before. */
export const beginningAt = (time: number): string => `${FRAMES}${digits(Math.max(0, LAST_TIME - time), 15)}`

const digits = (number: number, count: number): string => String(Math.floor(number)).padStart(count, '0')

export const entryOf = ({ id, made, state, from, events }: Handoff): FrameEntry => ({
  id,
  made,
  outcome: state.name,
  agents: [...new Set([from?.agent, ...events.map(({ by }) => by)])].filter(agent => agent !== undefined),
})

/** The seal of a paper vouches for its shape. */
export const asEntry = (paper: unknown): FrameEntry => paper as FrameEntry
