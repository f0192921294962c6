import { type FieldDefinition, type ModelDefinition, pathOf, type RoleDefinition } from './definition.ts'
import type { Detail } from './error.ts'
import { compileField } from './field.ts'
import { isFamilyName } from './name.ts'
import { Patterns, touches } from './pattern.ts'

const MAX_FIELDS = 2_000

/** What the shape of a definition alone can't show: bad names, dangling references, settings that contradict. */
export function mistakes(definition: ModelDefinition): Detail[] {
  const { fields, roles } = definition
  const count = Object.keys(fields).length
  return [
    ...(count > MAX_FIELDS ? [mistake(['fields'], `at most ${MAX_FIELDS} fields, got ${count}`)] : []),
    ...Object.entries(fields).flatMap(([name, field]) => fieldMistakes(definition, name, field)),
    ...Object.entries(roles).flatMap(([name, role]) => roleMistakes(definition, name, role)),
  ]
}

const mistake = (path: readonly PropertyKey[], message: string): Detail => ({ path: pathOf(path), message })

function fieldMistakes({ fields }: ModelDefinition, name: string, field: FieldDefinition): Detail[] {
  const at = ['fields', name]
  const found: Detail[] = []
  if (!isFamilyName(name)) found.push(mistake(at, 'expected a dotted name such as "need.issue" or "order.*.status"'))
  if (field.carry !== undefined && field.binding !== 'task')
    found.push(mistake([...at, 'carry'], 'only with binding "task"'))
  for (const old of [field.was ?? []].flat()) {
    if (Object.hasOwn(fields, old)) found.push(mistake([...at, 'was'], `"${old}" is still a field of its own`))
    if (stars(old) !== stars(name))
      found.push(mistake([...at, 'was'], `"${old}" and "${name}" need the same number of "*"`))
  }
  return [...found, ...valueMistakes(at, field), ...schemaMistakes(at, name, field)]
}

function valueMistakes(at: readonly string[], field: FieldDefinition): Detail[] {
  if (!('values' in field) || !field.values) return []
  const { values, wasValues = {} } = field
  const twice = values.filter((value, i) => values.indexOf(value) !== i)
  const gone = Object.values(wasValues).filter(now => !values.includes(now))
  return [
    ...twice.map(value => mistake([...at, 'values'], `"${value}" stands twice`)),
    ...gone.map(now => mistake([...at, 'wasValues'], `"${now}" is not among the values: ${values.join(', ')}`)),
  ]
}

function schemaMistakes(at: readonly string[], name: string, field: FieldDefinition): Detail[] {
  if (!('schema' in field)) return []
  try {
    compileField(name, field)
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [mistake([...at, 'schema'], `not a JSON Schema that can be checked: ${reason}`)]
  }
}

function roleMistakes({ fields, roles }: ModelDefinition, name: string, role: RoleDefinition): Detail[] {
  const names = Object.keys(fields)
  const unmatched = (side: 'read' | 'write') =>
    role[side].flatMap((pattern, i) =>
      names.some(field => touches(pattern, field))
        ? []
        : [mistake(['roles', name, side, i], `"${pattern}" matches no field; fields: ${names.join(', ')}`)],
    )
  const read = new Patterns(role.read)
  const needs = (role.needs ?? []).flatMap((need, i) =>
    Object.hasOwn(fields, need) && read.coverage(need) === 'all'
      ? []
      : [mistake(['roles', name, 'needs', i], `"${need}" is not a field that this role may read`)],
  )
  const handsTo = (role.handsTo ?? []).flatMap((other, i) =>
    Object.hasOwn(roles, other)
      ? []
      : [mistake(['roles', name, 'handsTo', i], `no role "${other}"; roles: ${Object.keys(roles).join(', ')}`)],
  )
  return [...unmatched('read'), ...unmatched('write'), ...needs, ...handsTo]
}

const stars = (name: string): number => name.split('.').filter(segment => segment === '*').length
