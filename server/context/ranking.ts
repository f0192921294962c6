import type { Belief } from '../../model/belief.ts'
import type { Status } from '../../model/opinion.ts'
import type { Role } from '../../model/role.ts'
import type { Schema } from '../../model/schema.ts'
import type { View } from '../../model/view.ts'
import { rounded } from './sureness.ts'

/** What of a view is shown, in the order of what matters now. */
export interface Ranking {
  /** The role's needs in its own order, then what is pinned: never trimmed. */
  readonly required: readonly Ranked[]
  /** The rest, most useful first. */
  readonly optional: readonly Ranked[]
  readonly needs: Needs
  /** Fields left out because they are stale. */
  readonly stale: readonly string[]
}

export interface Ranked {
  readonly field: string
  readonly belief: Belief
}

/** Of the role's needs, by the name the role has for them. A need that is only denied is missing. */
export interface Needs {
  readonly known: readonly string[]
  readonly missing: readonly string[]
  /** There is a belief, too old to be shown. */
  readonly stale: readonly string[]
}

interface Placed extends Ranked {
  readonly name: string
  readonly place: number
}

/** Secret fields and fields the schema does not know leave no trace here, so later steps can't show one. */
export function rank(schema: Schema, role: Role, view: View, keepStale: boolean): Ranking {
  const placed = place(schema, role, view)
  const isShown = ({ belief }: Placed) => keepStale || belief.status !== 'stale'
  const shown = placed.filter(isShown).sort(byPlace)
  const stale = placed.filter(entry => !isShown(entry)).sort(byPlace)
  const end = role.needs.length + 1
  return {
    required: shown.filter(entry => entry.place < end),
    optional: shown.filter(entry => entry.place >= end),
    needs: needsOf(schema, role, shown, stale),
    stale: stale.map(entry => entry.field),
  }
}

/** Place: the index of the need it answers; after the needs come pins, after these all else. */
function place(schema: Schema, role: Role, view: View): Placed[] {
  const needs = new Map(role.needs.map((name, i) => [name, i]))
  const placed: Placed[] = []
  for (const [name, belief] of view) {
    const field = schema.field(name)
    if (!field || field.sensitivity === 'secret') continue
    const other = role.needs.length + (field.pinned ? 0 : 1)
    placed.push({ field: name, belief, name: field.name, place: needs.get(field.name) ?? other })
  }
  return placed
}

const STATUSES: Readonly<Record<Status, number>> = { fresh: 0, fading: 1, stale: 2 }

const byPlace = (a: Placed, b: Placed): number =>
  a.place - b.place ||
  STATUSES[a.belief.status] - STATUSES[b.belief.status] ||
  rounded(b.belief.confidence) - rounded(a.belief.confidence) ||
  b.belief.lastSeen - a.belief.lastSeen ||
  (a.field < b.field ? -1 : 1)

function needsOf(schema: Schema, role: Role, shown: readonly Placed[], stale: readonly Placed[]): Needs {
  const current = new Set(shown.filter(({ belief }) => belief.value !== null).map(({ name }) => name))
  const old = new Set(stale.map(({ name }) => name))
  const names = role.needs.filter(name => schema.fields.get(name)?.sensitivity !== 'secret')
  return {
    known: names.filter(name => current.has(name)),
    missing: names.filter(name => !current.has(name) && !old.has(name)),
    stale: names.filter(name => !current.has(name) && old.has(name)),
  }
}
