import type { ModelDefinition } from '../definition.ts'
import { formatDuration } from '../duration.ts'
import type { Field } from '../field.ts'
import type { Coverage } from '../pattern.ts'
import type { Role } from '../role.ts'
import type { Schema } from '../schema.ts'
import { observeTool } from '../tool.ts'

/** The action that lets a role look at what another would see. */
export const VIEW_AS = 'view_as'

/** The schema as one role sees it: the fields it may read or write, and nothing that tells of the others. */
export interface SchemaSeen {
  readonly name: string
  readonly role: {
    readonly name: string
    readonly description: string
    readonly authority: Role['authority']
    readonly needs: readonly string[]
    readonly handsTo: readonly string[]
    readonly actions: readonly string[]
    readonly trust: number
    readonly confidence: Role['confidence']
    /** The roles whose view may be looked at; only for who has the action `view_as`. */
    readonly viewsAs?: readonly string[]
  }
  readonly fields: { readonly [name: string]: FieldSeen }
  /** JSON Schema of what the role may observe, for any LLM's structured output. */
  readonly tool: Readonly<Record<string, unknown>>
  /** The readable fields as they were defined: beliefs can be computed by it wherever the evidence is. */
  readonly definition: Pick<ModelDefinition, 'fields' | 'settings'>
}

export interface FieldSeen {
  readonly kind: Field['kind']
  readonly description: string
  readonly read: Coverage
  readonly write: Coverage
  readonly values?: readonly string[]
  readonly schema?: Readonly<Record<string, unknown>>
  readonly halfLife: string
  readonly binding: 'user' | 'task'
  readonly sensitivity: Field['sensitivity']
  readonly pinned: boolean
}

export function schemaSeen(schema: Schema, role: Role): SchemaSeen {
  const fields: Record<string, FieldSeen> = {}
  for (const field of schema.fields.values()) {
    const read = role.read.coverage(field.name)
    const write = role.write.coverage(field.name)
    if (read !== 'none' || write !== 'none') fields[field.name] = fieldSeen(field, read, write)
  }
  const { name, description, authority, needs, handsTo, actions, trust, confidence } = role
  return {
    name: schema.definition.name ?? 'model',
    role: {
      name,
      description,
      authority,
      needs,
      handsTo,
      actions,
      trust,
      confidence,
      ...(actions.includes(VIEW_AS) && { viewsAs: [...schema.roles.keys()] }),
    },
    fields,
    tool: observeTool([...schema.fields.values()], role),
    definition: definitionSeen(schema, role),
  }
}

function definitionSeen(schema: Schema, role: Role): SchemaSeen['definition'] {
  const { fields, settings } = schema.definition as unknown as ModelDefinition
  const readable = Object.entries(fields).filter(([name]) => role.read.coverage(name) !== 'none')
  return { fields: Object.fromEntries(readable), ...(settings && { settings }) }
}

const fieldSeen = (field: Field, read: Coverage, write: Coverage): FieldSeen => ({
  kind: field.kind,
  description: field.description,
  read,
  write,
  ...(field.values && { values: field.values }),
  ...(field.schema && { schema: field.schema }),
  halfLife: formatDuration(field.halfLife),
  binding: field.taskBound ? 'task' : 'user',
  sensitivity: field.sensitivity,
  pinned: field.pinned,
})
