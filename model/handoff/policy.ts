/** How patient a handoff is. Everything in it is bounded, so that no handoff is delivered without end. */
export interface Policy {
  /** Milliseconds until an offer that nobody answered is delivered again; each further wait is twice as long. */
  readonly acknowledge: number
  /** Deliveries to one target before the next is tried. */
  readonly attempts: number
  /** Holders that may vanish or give up before a person has to look at it. */
  readonly lapses: number
  /** Milliseconds a holder has between two signs of life. */
  readonly lease: number
}

const LONGEST_WAIT = 15 * 60_000

/** Half of it is certain and half is chance, so that offers made together are not delivered again together. */
export function waitOf({ acknowledge }: Policy, attempt: number, chance: number): number {
  const bound = Math.min(LONGEST_WAIT, acknowledge * 2 ** (attempt - 1))
  return Math.ceil(bound / 2 + (bound / 2) * chance)
}

/** More often than this a handoff to so many targets is never delivered, unless a person replays it. */
export const mostDeliveries = ({ attempts, lapses }: Policy, targets: number): number =>
  attempts * targets * (lapses + 1)
