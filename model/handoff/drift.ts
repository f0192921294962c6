import { isWithin } from '../pattern.ts'
import type { Actions, Bound, Bounds, Grant, GrantRequest } from './grant.ts'
import type { Intent, Rule, Work } from './work.ts'

/** What a holder says it was bound by, when it hands on. It has to be what the work says: nothing reworded, nothing left out. */
export interface Restated {
  readonly intent?: Intent | undefined
  readonly constraints?: readonly string[] | undefined
  readonly exclusions?: readonly string[] | undefined
}

export interface Drift {
  readonly path: string
  readonly message: string
}

/** Each way in which a hop would change what must stay as it is down the chain. */
export const driftOf = (work: Work, own: Grant, restated: Restated, asked: GrantRequest | undefined): Drift[] => [
  ...reworded(work.intent, restated.intent),
  ...dropped('constraints', work.constraints, restated.constraints),
  ...dropped('exclusions', work.exclusions, restated.exclusions),
  ...widened(own, asked),
]

function reworded(intent: Intent, said: Intent | undefined): Drift[] {
  if (!said) return []
  const drift = (key: 'words' | 'goal') => ({ path: `restated.intent.${key}`, message: 'the intent is reworded' })
  return [
    ...(said.words === intent.words ? [] : [drift('words')]),
    ...(said.goal === null || said.goal === intent.goal ? [] : [drift('goal')]),
  ]
}

const SHOWN = 80

const dropped = (what: 'constraints' | 'exclusions', rules: readonly Rule[], said: readonly string[] | undefined) =>
  said === undefined
    ? []
    : rules
        .filter(({ text }) => !said.includes(text))
        .map(({ text }) => ({ path: `restated.${what}`, message: `"${text.slice(0, SHOWN)}" is dropped` }))

function widened(own: Grant, asked: GrantRequest | undefined): Drift[] {
  const fields = own.fields !== null && asked?.fields && !isWithin(asked.fields, own.fields)
  const actions = own.actions !== null && asked?.actions ? beyond(own.actions, asked.actions) : []
  return [
    ...(fields ? [{ path: 'grant.fields', message: `your own grant names: ${own.fields?.join(', ')}` }] : []),
    ...actions.map(action => ({ path: `grant.actions.${action}`, message: 'your own grant does not go as far' })),
  ]
}

const beyond = (own: Actions, asked: Actions): string[] =>
  Object.entries(asked).flatMap(([action, bounds]) =>
    Object.hasOwn(own, action) && isTighter(own[action] ?? {}, bounds) ? [] : [action],
  )

const isTighter = (own: Bounds, asked: Bounds): boolean =>
  Object.entries(own).every(([parameter, bound]) => isInside(bound, asked[parameter]))

function isInside(own: Bound, asked: Bound | undefined): boolean {
  if (!asked) return false
  if (own.min !== undefined && !(asked.min !== undefined && asked.min >= own.min)) return false
  if (own.max !== undefined && !(asked.max !== undefined && asked.max <= own.max)) return false
  const { oneOf } = own
  return !oneOf || (asked.oneOf?.every(value => oneOf.includes(value)) ?? false)
}
