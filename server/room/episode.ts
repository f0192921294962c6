import type { Evidence } from '../../model/evidence.ts'

interface Open {
  readonly episode: string
  last: number
}

const LOOK_AFTER = 1_024

/** The open episode of each interaction: one is open while its last word was received within the idle time. */
export class Episodes {
  readonly #idle: number
  readonly #open = new Map<string, Open>()

  constructor(idle: number, evidence: Iterable<Evidence>) {
    this.#idle = idle
    for (const piece of evidence) this.heard(piece)
  }

  /** The open episode that a word received now belongs to, if there is one. */
  at(interaction: string, received: number): string | undefined {
    const open = this.#open.get(interaction)
    return open && received - open.last <= this.#idle ? open.episode : undefined
  }

  /** Evidence that is durable. What was refused keeps no episode open. */
  heard(piece: Evidence): void {
    if (piece.type === 'word') this.#heard(piece.interaction, piece.episode, piece.received)
  }

  /** Episodes that a word could still enter; compaction leaves them alone. */
  openAt(now: number): ReadonlySet<string> {
    this.#forget(now)
    return new Set([...this.#open.values()].map(open => open.episode))
  }

  #heard(interaction: string, episode: string, received: number): void {
    const open = this.#open.get(interaction)
    if (open?.episode === episode) open.last = Math.max(open.last, received)
    else if (!open || received >= open.last) this.#open.set(interaction, { episode, last: received })
    if (this.#open.size % LOOK_AFTER === 0) this.#forget(received)
  }

  #forget(now: number): void {
    for (const [interaction, open] of this.#open) if (now - open.last > this.#idle) this.#open.delete(interaction)
  }
}

/** Under several names of one person an interaction is one. */
export const episodeIn = (all: readonly Episodes[], interaction: string, time: number): string | undefined =>
  all.map(episodes => episodes.at(interaction, time)).find(episode => episode !== undefined)
