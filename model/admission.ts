import { formatDuration } from './duration.ts'
import { ok, type Result, refuse } from './error.ts'
import type { Retraction, Word } from './evidence.ts'
import type { Field } from './field.ts'
import { type Observation, parseObservation, parseRetraction } from './observation.ts'
import { isPerson, type Role } from './role.ts'
import type { Schema } from './schema.ts'
import type { Scope } from './scope.ts'
import { type Json, keyOf } from './value.ts'

/** No single word is certain: 1 would outweigh every other word for ever. */
export const MAX_CONFIDENCE = 0.99
/** From this much trusted confidence on, a person's word settles. */
const SETTLING = 0.5

/** Who speaks: an agent in its role, trusted so far as its words have proved right. */
export interface Speaker {
  readonly agent: string
  readonly role: Role
  readonly trust: number
  readonly scope: Scope
}

/** What the server adds to a word when the commit is formed. */
export interface Stamp {
  readonly id: string
  readonly received: number
  readonly seq: number
  readonly episode: string
  readonly served: Served
}

/** What the agent had been told of this field: the values it was shown as held, and those shown as denied. */
export interface Served {
  readonly values: readonly Json[]
  readonly denied: readonly Json[]
}

export const NOTHING_SERVED: Served = { values: [], denied: [] }

/** An observation becomes evidence, or is refused. An array of elements of a set becomes a word for each. */
export function admit(schema: Schema, speaker: Speaker, input: unknown, stamp: Stamp): Result<Word[]> {
  const parsed = parseObservation(input)
  if (!parsed.ok) return parsed
  const observation = parsed.value
  const field = speaker.scope.write.has(observation.field) ? schema.field(observation.field) : undefined
  if (!field) return unavailable(observation.field)
  const values = valuesOf(field, observation)
  if (!values.ok) return values
  if (observation.not && !mayDeny(field, speaker.role))
    return refuse('denial_not_allowed', `Only a person may deny a value of ${observation.field}.`)
  const at = timeOf(schema, observation, stamp)
  if (!at.ok) return at
  return ok(values.value.map((value, i) => word(field, speaker, observation, stamp, at.value, value, i)))
}

/** Unknown and forbidden fields get the same answer, so that it tells nothing of what exists. */
const unavailable = (name: string): Result<never> =>
  refuse('field_unavailable', `No field ${JSON.stringify(name.slice(0, 128))} that you may write.`)

/** The interaction an observation belongs to; an agent that names none has one running interaction of its own. */
export const interactionOf = (observation: Pick<Observation, 'interaction'>, agent: string): string =>
  observation.interaction ?? `@${agent}`

function valuesOf(field: Field, observation: Observation): Result<Json[]> {
  const several = field.kind === 'set' && Array.isArray(observation.value)
  const given: readonly unknown[] = several ? (observation.value as unknown[]) : [observation.value]
  if (given.length === 0) return refuse('bad_value', 'Name at least one element, or deny the ones that are not so.')
  const values = new Map<string, Json>()
  for (const value of given) {
    const checked = field.check(value)
    if (!checked.ok) return checked
    values.set(keyOf(checked.value), checked.value)
  }
  return ok([...values.values()])
}

const mayDeny = (field: Field, role: Role): boolean => isPerson(role) || field.kind === 'flag' || field.kind === 'set'

function timeOf(schema: Schema, { at }: Observation, { received }: Stamp): Result<number> {
  const { late, skew } = schema.settings
  if (at === undefined) return ok(received)
  if (at > received + skew) return refuse('time_ahead', `\`at\` is ${formatDuration(at - received)} ahead of now.`)
  if (at < received - late) return refuse('time_too_old', `\`at\` is more than ${formatDuration(late)} before now.`)
  return ok(Math.min(at, received))
}

function word(
  field: Field,
  speaker: Speaker,
  observation: Observation,
  stamp: Stamp,
  at: number,
  value: Json,
  index: number,
): Word {
  const { role, agent, trust } = speaker
  const confidence = Math.min(observation.confidence ?? role.confidence[observation.basis], MAX_CONFIDENCE)
  const flips = field.kind === 'flag' && observation.not
  const not = observation.not && !flips
  const said = flips ? !value : value
  return {
    type: 'word',
    id: index === 0 ? stamp.id : `${stamp.id}/${index}`,
    field: observation.field,
    value: said,
    ...(not && { not: true as const }),
    confidence,
    trust,
    rank: isPerson(role) && confidence * trust >= SETTLING ? 1 : 0,
    // A person who confirms what the screen shows means it; a program that restates what it was served knows no more.
    ...(restates(field, said, not ? stamp.served.denied : stamp.served.values) &&
      !isPerson(role) &&
      observation.basis === 'inferred' && { echo: true as const }),
    basis: observation.basis,
    agent,
    role: role.name,
    interaction: interactionOf(observation, agent),
    episode: stamp.episode,
    ...(observation.task !== undefined && { task: observation.task }),
    ...(observation.source !== undefined && { source: observation.source }),
    ...(observation.why !== undefined && { why: observation.why }),
    at,
    received: stamp.received,
    seq: stamp.seq,
  }
}

const restates = (field: Field, value: Json, served: readonly Json[]): boolean =>
  served.some(other =>
    typeof value === 'number' && typeof other === 'number'
      ? Math.abs(value - other) <= field.tolerance
      : keyOf(value) === keyOf(other),
  )

/** An agent takes back its own words; a person takes back anyone's, within the fields it may write. */
export function admitRetraction(
  speaker: Speaker,
  input: unknown,
  stamp: Omit<Stamp, 'episode' | 'served'>,
): Result<Retraction> {
  const parsed = parseRetraction(input)
  if (!parsed.ok) return parsed
  const { agent, interaction, source, field, why } = parsed.value
  if (field && !speaker.scope.write.has(field)) return unavailable(field)
  if (!isPerson(speaker.role) && agent && agent !== speaker.agent)
    return refuse('retraction_not_allowed', 'You may retract only your own words; leave `agent` out.')
  const whose = isPerson(speaker.role) ? agent : speaker.agent
  return ok({
    type: 'retraction',
    id: stamp.id,
    by: speaker.agent,
    role: speaker.role.name,
    ...(whose && { agent: whose }),
    ...(interaction && { interaction }),
    ...(source && { source }),
    ...(field && { field }),
    within: speaker.scope.write.lists,
    ...(why && { why }),
    received: stamp.received,
    seq: stamp.seq,
  })
}
