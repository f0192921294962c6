import type { ModelDefinition } from '../../model/definition.ts'
import { type Dialogue, type Naming, nameIn } from './dialogue.ts'

type Fields = ModelDefinition['fields']
type Roles = ModelDefinition['roles']

/**
 * The model a desk of these services would write: a role for each that needs what users tell it, and days and
 * hours bound to the task they were said for, since the day of one booking is seldom that of the next.
 */
export function deskOf(dialogues: readonly Dialogue[], naming: Naming): ModelDefinition {
  const values = new Map<string, string[]>()
  const slots = new Map<string, Set<string>>()
  for (const { service, named, value, isAsked } of mentions(dialogues)) {
    const field = nameIn(naming, named)
    of(values, field, () => []).push(value)
    const needs = of(slots, service, () => new Set())
    if (isAsked) needs.add(field)
  }
  const fields: Fields = Object.fromEntries([...values].map(([field, said]) => [field, fieldOf(said)]))
  const services = [...slots.keys()].map(roleOf)
  const roles: Roles = Object.fromEntries(
    [...slots].map(([service, needs]) => [
      roleOf(service),
      { reach: 'all', read: ['**'], write: ['**'], needs: [...needs], handsTo: services },
    ]),
  )
  return { name: 'services', fields, roles }
}

/** Told in passing, a thing holds for some minutes of talk; a day or hour holds for its task, however long that takes. */
const fieldOf = (said: readonly string[]): Fields[string] =>
  said.every(isTime) ? { kind: 'choice', binding: 'task', contested: 0.25 } : { kind: 'choice', halfLife: '5m' }

const TIME = /^\d{4}-\d{2}-\d{2}$|^\d{1,2}:\d{2}$/
const isTime = (value: string): boolean => TIME.test(value)

function* mentions(dialogues: readonly Dialogue[]) {
  for (const { turns } of dialogues)
    for (const { speaker, observations } of turns)
      for (const named of observations) {
        const isAsked = speaker === 'user' && named.act === 'inform'
        yield { service: serviceOf(named.service_slot), named, value: named.value, isAsked }
      }
}

export const roleOf = (service: string): string => service.toLowerCase()

export const serviceOf = (slot: string): string => slot.slice(0, slot.indexOf('.'))

function of<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
