import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { NOTHING_SERVED, type Served } from '../../model/admission.ts'
import type { Belief } from '../../model/belief.ts'
import { Patterns } from '../../model/pattern.ts'
import type { Json } from '../../model/value.ts'

const MAX_AGENTS = 256
const MAX_READINGS = 64
const MAX_CHANGES = 8

/** An agent read these fields, the last time when the user's last write was this one. */
interface Reading {
  readonly write: number
  readonly fields: Patterns
}

/** From this write on, a field was shown so. Once it is shown otherwise, it is settled who was shown it. */
interface Change {
  readonly write: number
  readonly values: readonly Json[]
  readonly denied: readonly Json[]
  readonly shownTo: readonly string[]
}

const json = z.json() as z.ZodType<Json>
const readingShape = z.object({ write: z.number(), fields: z.array(z.array(z.string())) })
const changeShape = z.object({
  write: z.number(),
  values: z.array(json),
  denied: z.array(json),
  shownTo: z.array(z.string()),
})
const noteShape = z.object({
  readings: z.array(z.tuple([z.string(), z.array(readingShape)])),
  changes: z.array(z.tuple([z.string(), z.array(changeShape)])),
})

/**
 * What each agent has been served of a user. As what is believed changes only by writes, it is enough to keep for each
 * agent when it last read which fields, and for each field what was shown from which write on; a read then costs nothing
 * per field. Who was shown a value is worked out when another takes its place, and remembered with it:
 *
 *     changes of a field   calm from 3, shown to [ava]      angry from 9
 *     readings of ava      need.* at 12,  ** at 7           → was shown calm (7 ≥ 3), not angry
 */
export class ServedMemory {
  readonly #readings = new LRUCache<string, readonly Reading[]>({ max: MAX_AGENTS })
  readonly #changes = new Map<string, readonly Change[]>()
  isDirty = false

  constructor(note: unknown) {
    const known = noteShape.safeParse(note)
    if (!known.success) return
    for (const [agent, readings] of known.data.readings)
      this.#readings.set(
        agent,
        readings.map(({ write, fields }) => ({ write, fields: new Patterns(...fields) })),
      )
    for (const [field, changes] of known.data.changes) this.#changes.set(field, changes)
  }

  read(agent: string, write: number, fields: Patterns): void {
    const readings = this.#readings.get(agent) ?? []
    const last = readings.at(-1)
    if (last?.write === write && includes(last.fields, fields)) return
    // What the new reading shows as well needs no reading of its own.
    const others = readings.filter(reading => reading.write > write || !includes(fields, reading.fields))
    this.#readings.set(agent, [...others, { write, fields }].slice(-MAX_READINGS))
    this.isDirty = true
  }

  changed(field: string, write: number, belief: Belief | undefined): void {
    const change = { write, values: valuesOf(belief), denied: belief?.denied ?? [], shownTo: [] }
    const changes = this.#changes.get(field) ?? []
    const last = changes.at(-1)
    if (last && same(last.values, change.values) && same(last.denied, change.denied)) return
    const past = last ? [...changes.slice(0, -1), { ...last, shownTo: this.#readersSince(field, last) }] : []
    this.#changes.set(field, [...past, change].slice(-MAX_CHANGES))
  }

  of(agent: string, field: string): Served {
    const changes = this.#changes.get(field)
    if (!changes) return NOTHING_SERVED
    const shown = changes.filter(
      (change, i) =>
        change.shownTo.includes(agent) || (i === changes.length - 1 && this.#hasReadSince(agent, field, change)),
    )
    return { values: shown.flatMap(change => change.values), denied: shown.flatMap(change => change.denied) }
  }

  #readersSince(field: string, change: Change): string[] {
    const readers = [...this.#readings.keys()].filter(agent => this.#hasReadSince(agent, field, change))
    return [...new Set([...change.shownTo, ...readers])]
  }

  #hasReadSince(agent: string, field: string, { write }: Change): boolean {
    const readings = this.#readings.peek(agent) ?? []
    return readings.some(reading => reading.write >= write && reading.fields.has(field))
  }

  note(): unknown {
    this.isDirty = false
    return {
      readings: [...this.#readings.entries()].map(([agent, readings]) => [
        agent,
        readings.map(({ write, fields }) => ({ write, fields: fields.lists })),
      ]),
      changes: [...this.#changes.entries()],
    }
  }
}

/** Whether patterns let through all that others do. More lists let through less; that is as far as it looks. */
const includes = (wide: Patterns, narrow: Patterns): boolean =>
  wide === narrow || wide.lists.every(list => narrow.lists.some(other => list === other || same(list, other)))

/** Of a set each element that is in it was shown. */
const valuesOf = (belief: Belief | undefined): readonly Json[] => {
  if (!belief || belief.value === null) return []
  return belief.elements && Array.isArray(belief.value) ? belief.value : [belief.value]
}

const same = (a: readonly Json[], b: readonly Json[]): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What an agent was shown of a person under several names. */
export const together = (served: readonly Served[]): Served => ({
  values: served.flatMap(({ values }) => values),
  denied: served.flatMap(({ denied }) => denied),
})
