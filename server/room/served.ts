import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { NOTHING_SERVED, type Served } from '../../model/admission.ts'
import type { Belief } from '../../model/belief.ts'
import { Patterns } from '../../model/pattern.ts'
import type { Json } from '../../model/value.ts'

const MAX_AGENTS = 256
const MAX_READINGS = 16
const MAX_CHANGES = 8

/** An agent read these fields when the user's last write was this one. */
interface Reading {
  readonly write: number
  readonly fields: Patterns
}

/** From this write on, a field was shown so. */
interface Change {
  readonly write: number
  readonly values: readonly Json[]
  readonly denied: readonly Json[]
}

const json = z.json() as z.ZodType<Json>
const noteShape = z.object({
  readings: z.array(
    z.tuple([z.string(), z.array(z.object({ write: z.number(), fields: z.array(z.array(z.string())) }))]),
  ),
  changes: z.array(
    z.tuple([z.string(), z.array(z.object({ write: z.number(), values: z.array(json), denied: z.array(json) }))]),
  ),
})

/**
 * What each agent has been served of a user. As what is believed changes only by writes, it is enough to keep for each
 * agent when it read, and for each field what was shown from which write on; a read then costs nothing per field.
 */
export class ServedMemory {
  readonly #readings = new LRUCache<string, Reading[]>({ max: MAX_AGENTS })
  readonly #changes = new Map<string, Change[]>()
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
    if (last?.write === write && last.fields === fields) return
    this.#readings.set(agent, [...readings, { write, fields }].slice(-MAX_READINGS))
    this.isDirty = true
  }

  changed(field: string, write: number, belief: Belief | undefined): void {
    const change = { write, values: valuesOf(belief), denied: belief?.denied ?? [] }
    const changes = this.#changes.get(field) ?? []
    const last = changes.at(-1)
    if (last && same(last.values, change.values) && same(last.denied, change.denied)) return
    this.#changes.set(field, [...changes, change].slice(-MAX_CHANGES))
  }

  of(agent: string, field: string): Served {
    const readings = this.#readings.get(agent)
    const changes = this.#changes.get(field)
    if (!readings || !changes) return NOTHING_SERVED
    const shown = new Set<Change>()
    for (const { write, fields } of readings) {
      const change = fields.has(field) ? changes.findLast(candidate => candidate.write <= write) : undefined
      if (change) shown.add(change)
    }
    return {
      values: [...shown].flatMap(change => change.values),
      denied: [...shown].flatMap(change => change.denied),
    }
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

/** Of a set each element that is in it was shown. */
const valuesOf = (belief: Belief | undefined): readonly Json[] => {
  if (!belief || belief.value === null) return []
  return belief.elements && Array.isArray(belief.value) ? belief.value : [belief.value]
}

const same = (a: readonly Json[], b: readonly Json[]): boolean => JSON.stringify(a) === JSON.stringify(b)
