import type { FieldDefinition } from '../../model/definition.ts'
import type { Definition } from '../../model/infer.ts'
import { Schema } from '../../model/schema.ts'
import type { LogLine } from './log-line.ts'

type Shape = 'flag' | 'number' | 'choice' | 'text' | 'set' | 'record'

const LONGEST_CHOICE = 200
const MAX_FIELDS = 10_000

/** A schema for a log that has none: each field of the kind that holds all its values, and every role reads everything. */
export class InferredSchema {
  readonly #fields = new Map<string, Set<Shape>>()
  readonly #roles = new Set<string>()

  see(line: LogLine): void {
    this.#roles.add(line.role)
    if (line.type === 'handoff') return
    const shapes = this.#fields.get(line.field) ?? new Set()
    if (line.type === 'observation') shapes.add(shapeOf(line.value))
    if (this.#fields.size < MAX_FIELDS) this.#fields.set(line.field, shapes)
  }

  /** Names are those of the log, as its lines allow them: a schema that someone writes is held to more. */
  get schema(): Schema {
    const fields = [...this.#fields].map(([name, shapes]) => [name, { kind: kindOf(shapes) } as FieldDefinition])
    const roles = [...this.#roles].map(name => [name, { read: ['**'], write: ['**'] }])
    return new Schema({ fields: Object.fromEntries(fields), roles: Object.fromEntries(roles) } as Definition)
  }
}

function shapeOf(value: unknown): Shape {
  if (typeof value === 'boolean') return 'flag'
  if (typeof value === 'number') return 'number'
  if (Array.isArray(value)) return 'set'
  if (typeof value === 'object') return 'record'
  return String(value).length > LONGEST_CHOICE ? 'text' : 'choice'
}

/** Values that no one kind holds make a choice, or a text where any is long; those that do not fit are then left out. */
function kindOf(shapes: ReadonlySet<Shape>): Shape {
  const [only] = shapes
  if (shapes.size === 1 && only) return only
  if (shapes.has('text')) return 'text'
  return shapes.size === 2 && shapes.has('set') && shapes.has('choice') ? 'set' : 'choice'
}
