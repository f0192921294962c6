import { detailsOf, type ModelDefinition, modelDefinition } from './definition.ts'
import { type Detail, ok, type Result, refuse, unwrap } from './error.ts'
import { compileField, type Field, milliseconds } from './field.ts'
import type { Definition, RoleOf } from './infer.ts'
import { mistakes } from './mistake.ts'
import { isFieldName } from './name.ts'
import { belongs } from './pattern.ts'
import { plainDefinition } from './plain-definition.ts'
import { compileRole, type Role } from './role.ts'
import { observeTool } from './tool.ts'

const MAX_REMEMBERED = 10_000

export interface Settings {
  readonly idle: number
  readonly late: number
  readonly skew: number
  readonly retention: Retention
}

/** How long what kind of record is kept, in milliseconds. */
export interface Retention {
  readonly audit: number
  readonly frames: number
  readonly ledger: number
}

/** A team's own model: its fields, its roles and the few times that bound them. Immutable. */
export class Schema<D extends Definition = Definition> {
  readonly definition: D
  readonly fields: ReadonlyMap<string, Field>
  readonly roles: ReadonlyMap<string, Role>
  readonly settings: Settings
  readonly #families: readonly Field[]
  readonly #remembered = new Map<string, Field | undefined>()

  constructor(definition: D) {
    const given = definition as unknown as ModelDefinition
    this.definition = definition
    this.fields = new Map(Object.entries(given.fields).map(([name, field]) => [name, compileField(name, field)]))
    this.roles = new Map(Object.entries(given.roles).map(([name, role]) => [name, compileRole(name, role)]))
    this.settings = {
      idle: milliseconds(given.settings?.idle ?? '30m'),
      late: milliseconds(given.settings?.late ?? '30d'),
      skew: milliseconds(given.settings?.skew ?? '30s'),
      retention: retentionOf(given),
    }
    this.#families = [...this.fields.values()].filter(isFamily).sort(bySpecificity)
  }

  /** The field a concrete name belongs to: its own, else the family that says most about it. */
  field(name: string): Field | undefined {
    if (this.#remembered.has(name)) return this.#remembered.get(name)
    const found = isFieldName(name) ? this.#find(name) : undefined
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(name, found)
    return found
  }

  role(name: string): Result<Role> {
    const role = this.roles.get(name)
    if (role) return ok(role)
    return refuse('unknown_role', `No role "${name}". Roles: ${[...this.roles.keys()].join(', ')}.`)
  }

  /** JSON Schema of what a role may observe, for the structured output or tool call of any LLM. */
  tool(role: RoleOf<D>): Record<string, unknown> {
    return observeTool([...this.fields.values()], unwrap(this.role(role)))
  }

  #find(name: string): Field | undefined {
    return this.fields.get(name) ?? this.#families.find(family => belongs(name, family.name))
  }
}

/** An outcome is forgotten only when what it belongs to is too old to be taken again. */
function retentionOf({ settings }: ModelDefinition): Retention {
  const { audit = '400d', frames = '400d', ledger = '90d' } = settings?.retention ?? {}
  const late = milliseconds(settings?.late ?? '30d')
  return {
    audit: milliseconds(audit),
    frames: milliseconds(frames),
    ledger: Math.max(milliseconds(ledger), 2 * late),
  }
}

/** A schema written in code: TypeScript knows its fields and values. Throws on a mistake, which is a bug of the caller. */
export const defineModel = <const D extends Definition>(definition: D): Schema<D> =>
  unwrap(parseModel(definition)) as unknown as Schema<D>

/** A schema from a JSON file: every mistake is named with its path and what is allowed there. */
export function parseModel(input: unknown): Result<Schema> {
  const read = plainDefinition(input)
  if (!read.ok) return wrong(read.details)
  const parsed = modelDefinition.safeParse(read.value)
  const details = parsed.success ? mistakes(parsed.data) : detailsOf(parsed.error)
  return details.length > 0 ? wrong(details) : ok(new Schema(parsed.data as Definition))
}

const wrong = (details: readonly Detail[]): Result<never> =>
  refuse('bad_schema', `${details[0]?.path || 'the schema'}: ${details[0]?.message}`, details)

export const isFamily = (field: Field): boolean => field.name.split('.').includes('*')

/** Of two families that match, the one with the earlier literal segment says more: `order.vip.*` before `order.*.*`. */
const bySpecificity = (a: Field, b: Field): number => {
  const [left, right] = [a.name.split('.'), b.name.split('.')]
  const differs = left.findIndex((segment, i) => (segment === '*') !== (right[i] === '*'))
  if (differs < 0) return a.name < b.name ? -1 : 1
  return left[differs] === '*' ? 1 : -1
}
