import type { Event, Handoff } from './handoff.ts'

const MAX_EVENTS = 200

/** What happened is written down with the change it made; of very much, the last is kept. */
export const log = (handoff: Handoff, event: Event): Handoff => ({
  ...handoff,
  events: [...handoff.events, event].slice(-MAX_EVENTS),
})

/** What happened between two states of a handoff, in order. An event keeps its identity from state to state. */
export function eventsSince(handoff: Handoff, was: Handoff | undefined): readonly Event[] {
  const last = was?.events.at(-1)
  return last ? handoff.events.slice(handoff.events.lastIndexOf(last) + 1) : handoff.events
}
