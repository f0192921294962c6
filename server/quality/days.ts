import { z } from 'zod'
import { NO_TALLY, plus, type Tally, tallyShape } from './tally.ts'

export const DAY = 86_400_000
/** Days that are kept. The place of a day that is too old is taken by a new one. */
export const DAYS = 400

/** Where days are kept, by key; as few keys as there are days. */
export interface Keeping {
  readonly read: (key: string) => unknown
  readonly write: (key: string, value: unknown) => Promise<void>
}

const dayShape = z.strictObject({ day: z.int(), roles: z.record(z.string(), tallyShape) })

interface Day {
  readonly day: number
  readonly roles: Map<string, Tally>
}

export const dayOf = (time: number): number => Math.floor(time / DAY)

/** What was counted, by day and role. */
export class Days {
  readonly #keeping: Keeping
  readonly #days = new Map<number, Day>()
  readonly #dirty = new Set<number>()

  constructor(keeping: Keeping) {
    this.#keeping = keeping
    for (let place = 0; place < DAYS; place++) {
      const kept = keeping.read(keyOf(place))
      if (kept === undefined) continue
      const { day, roles } = dayShape.parse(kept)
      this.#days.set(place, { day, roles: new Map(Object.entries(roles)) })
    }
  }

  add(time: number, role: string, more: Partial<Tally>): void {
    const day = dayOf(time)
    const place = day % DAYS
    const known = this.#days.get(place)
    const current = known?.day === day ? known : { day, roles: new Map<string, Tally>() }
    current.roles.set(role, plus(current.roles.get(role) ?? NO_TALLY, { ...NO_TALLY, ...more }))
    this.#days.set(place, current)
    this.#dirty.add(place)
  }

  /** By role, over the days from one time up to another. */
  between(from: number, to: number): Map<string, Tally> {
    const sums = new Map<string, Tally>()
    for (const { day, roles } of this.#days.values()) {
      if (day < dayOf(from) || day * DAY >= to) continue
      for (const [role, tally] of roles) sums.set(role, plus(sums.get(role) ?? NO_TALLY, tally))
    }
    return sums
  }

  /** What was counted since is not lost when one of these fails: it is written the next time. */
  async flush(): Promise<void> {
    for (const place of [...this.#dirty]) {
      const day = this.#days.get(place)
      this.#dirty.delete(place)
      if (!day) continue
      const kept = { day: day.day, roles: Object.fromEntries(day.roles) }
      await this.#keeping.write(keyOf(place), kept).catch((error: unknown) => {
        this.#dirty.add(place)
        throw error
      })
    }
  }
}

const keyOf = (place: number): string => `quality.${place}`
