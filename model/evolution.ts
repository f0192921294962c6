import { formatDuration } from './duration.ts'
import type { Evidence } from './evidence.ts'
import type { Field } from './field.ts'
import { interpret, nameNow } from './interpretation.ts'
import type { Coverage } from './pattern.ts'
import type { Schema } from './schema.ts'

/** What a new schema changes, seen before it is in force. */
export interface Evolution {
  readonly fields: readonly FieldChange[]
  readonly access: readonly AccessChange[]
  readonly roles: readonly RoleChange[]
}

/** What else a role may do, or may no longer. */
export interface RoleChange {
  readonly role: string
  /** What changed: `reach: assigned → all`, `action refund`, `role`. */
  readonly what: string
  readonly change: 'gains' | 'loses' | 'differs'
}

export interface FieldChange {
  /** The name today; of a removed field, the name it had. */
  readonly field: string
  readonly change: 'added' | 'removed' | 'renamed' | 'changed'
  /** What changed, one line each: `halfLife: 2h → 1d`. */
  readonly details: readonly string[]
}

export interface AccessChange {
  readonly role: string
  readonly field: string
  readonly side: 'read' | 'write'
  readonly from: Coverage
  readonly to: Coverage
  readonly change: 'gains' | 'loses' | 'differs'
}

export const evolve = (from: Schema, to: Schema): Evolution => ({
  fields: fieldChanges(from, to),
  access: accessChanges(from, to),
  roles: roleChanges(from, to),
})

/** Evidence that means nothing under a schema, with the reason. It would be kept, and not counted. */
export const unfitUnder = (schema: Schema, evidence: Iterable<Evidence>): Map<string, string> => {
  const unfit = new Map<string, string>()
  for (const piece of evidence) {
    if (piece.type === 'retraction') continue
    const meant = interpret(schema, piece)
    if (!meant.fits) unfit.set(piece.id, meant.reason)
  }
  return unfit
}

/** What a field of the new schema was called in the old one; undefined when it is new. */
function nameBefore(from: Schema, field: Field): string | undefined {
  return [field.name, ...field.was].find(name => from.fields.has(name))
}

function fieldChanges(from: Schema, to: Schema): FieldChange[] {
  const changes: FieldChange[] = []
  for (const field of to.fields.values()) {
    const before = nameBefore(from, field)
    const old = before === undefined ? undefined : (from.fields.get(before) as Field)
    if (!old) changes.push({ field: field.name, change: 'added', details: [] })
    else if (old.name !== field.name)
      changes.push({
        field: field.name,
        change: 'renamed',
        details: [`name: ${old.name} → ${field.name}`, ...differences(old, field)],
      })
    else if (differences(old, field).length > 0)
      changes.push({ field: field.name, change: 'changed', details: differences(old, field) })
  }
  for (const old of from.fields.values())
    if (nameNow(to, old.name) === undefined && !to.fields.has(old.name) && !isTaken(to, old.name))
      changes.push({ field: old.name, change: 'removed', details: [] })
  return changes
}

const isTaken = (to: Schema, name: string): boolean => [...to.fields.values()].some(field => field.was.includes(name))

function differences(old: Field, now: Field): string[] {
  const lines: string[] = []
  const line = (what: string, before: unknown, after: unknown) => {
    if (before !== after) lines.push(`${what}: ${before} → ${after}`)
  }
  line('kind', old.kind, now.kind)
  line('halfLife', formatDuration(old.halfLife), formatDuration(now.halfLife))
  line('hold', formatDuration(old.hold), formatDuration(now.hold))
  line('binding', old.taskBound ? 'task' : 'user', now.taskBound ? 'task' : 'user')
  line('tolerance', old.tolerance, now.tolerance)
  line('sensitivity', old.sensitivity, now.sensitivity)
  line('contested', old.contested, now.contested)
  line('schema', JSON.stringify(old.schema), JSON.stringify(now.schema))
  if (old.taskBound && now.taskBound) line('carry', old.carry, now.carry)
  for (const value of old.values ?? [])
    if (now.values && !now.values.includes(value)) lines.push(`value removed: ${value}${renamedTo(now, value)}`)
  for (const value of now.values ?? [])
    if (old.values && !old.values.includes(value)) lines.push(`value added: ${value}`)
  if (!old.values !== !now.values) lines.push(now.values ? 'values: any → listed' : 'values: listed → any')
  return lines
}

const renamedTo = (now: Field, value: string): string => {
  const renamed = Object.hasOwn(now.wasValues, value) ? now.wasValues[value] : undefined
  return renamed === undefined ? '' : ` (now ${renamed})`
}

/** For every role of either schema and every field of either: what it could do before and what it can do now. */
function accessChanges(from: Schema, to: Schema): AccessChange[] {
  const changes: AccessChange[] = []
  const roles = new Set([...from.roles.keys(), ...to.roles.keys()])
  for (const role of roles)
    for (const side of ['read', 'write'] as const)
      for (const [before, now] of pairs(from, to)) {
        const had = coverage(from, role, side, before)
        const has = coverage(to, role, side, now)
        if (had === has && !(had === 'some' && listsOf(from, role, side) !== listsOf(to, role, side))) continue
        changes.push({
          role,
          field: now ?? (before as string),
          side,
          from: had,
          to: has,
          change: compareCoverage(had, has),
        })
      }
  return changes
}

/** Whom a role reaches and what it may do and grant, besides fields. */
function roleChanges(from: Schema, to: Schema): RoleChange[] {
  const names = new Set([...from.roles.keys(), ...to.roles.keys()])
  return [...names].flatMap(name => {
    const [had, has] = [from.roles.get(name), to.roles.get(name)]
    if (!had || !has)
      return [{ role: name, what: has ? 'is added' : 'is removed', change: has ? 'gains' : 'loses' } as const]
    return [
      ...leap(name, 'reach', had.reach, has.reach, REACHES),
      ...leap(name, 'authority', had.authority, has.authority, AUTHORITIES),
      ...listed(name, 'action', had.actions, has.actions),
      ...listed(name, 'handing to', had.handsTo, has.handsTo),
    ]
  })
}

/** From the least to the most. */
const REACHES = ['self', 'assigned', 'all']
const AUTHORITIES = ['agent', 'human', 'subject']

function leap(role: string, what: string, before: string, now: string, order: readonly string[]): RoleChange[] {
  if (before === now) return []
  const change = order.indexOf(now) > order.indexOf(before) ? 'gains' : 'loses'
  return [{ role, what: `${what}: ${before} → ${now}`, change }]
}

const listed = (role: string, what: string, before: readonly string[], now: readonly string[]): RoleChange[] => [
  ...before
    .filter(each => !now.includes(each))
    .map(each => ({ role, what: `${what} ${each}`, change: 'loses' as const })),
  ...now
    .filter(each => !before.includes(each))
    .map(each => ({ role, what: `${what} ${each}`, change: 'gains' as const })),
]

/** Fields by their names in the old and the new schema; undefined on the side that lacks them. */
function pairs(from: Schema, to: Schema): (readonly [before: string | undefined, now: string | undefined])[] {
  const seen = new Set<string>()
  const both = [...to.fields.values()].map(field => {
    const before = nameBefore(from, field)
    if (before !== undefined) seen.add(before)
    return [before, field.name] as const
  })
  const gone = [...from.fields.keys()].filter(name => !seen.has(name)).map(name => [name, undefined] as const)
  return [...both, ...gone]
}

const coverage = (schema: Schema, role: string, side: 'read' | 'write', field: string | undefined): Coverage =>
  field === undefined ? 'none' : (schema.roles.get(role)?.[side].coverage(field) ?? 'none')

const listsOf = (schema: Schema, role: string, side: 'read' | 'write'): string =>
  JSON.stringify(schema.roles.get(role)?.[side].lists ?? [])

const ORDER: Record<Coverage, number> = { none: 0, some: 1, all: 2 }

const compareCoverage = (from: Coverage, to: Coverage): AccessChange['change'] => {
  if (ORDER[to] === ORDER[from]) return 'differs'
  return ORDER[to] > ORDER[from] ? 'gains' : 'loses'
}
