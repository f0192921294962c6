import { type Json, keyOf } from '../value.ts'
import { type Envelope, type Sealing, sealEnvelope } from './envelope.ts'
import type { Intent, Rule } from './work.ts'

/** What of a chain of handoffs does not hold. */
export const BREAKS = {
  missing: 'It is not there.',
  unreadable: 'What is stored of it is damaged.',
  altered: 'It is not as it was sealed.',
  unlinked: 'It does not follow the one before it.',
  intent: 'The intent or the task is another than at the beginning.',
  constraint: 'A constraint or exclusion of an earlier hop is gone or reworded.',
  hops: 'Its list of hops leaves one out.',
  grant: 'Its grant lasts longer than that of its sender.',
  work: 'The work that is open says something else than what was handed over.',
} as const

export type Break = keyof typeof BREAKS

/** A hop as it is found: its envelope, or why there is none. */
export type Link = { readonly handoff: string } & (
  | { readonly envelope: Envelope }
  | { readonly lost: 'missing' | 'unreadable' }
)

/** The first thing that does not hold, from the beginning of the chain on. `hop` counts from 0, the one that was started. */
export interface Broken {
  readonly handoff: string
  readonly hop: number
  readonly why: Break
}

export function brokenIn(chain: readonly Link[], sealing: Sealing): Broken | undefined {
  let first: Envelope | undefined
  let before: Envelope | undefined
  for (const [hop, link] of chain.entries()) {
    const why = 'lost' in link ? link.lost : breakOf(link.handoff, link.envelope, first, before, sealing)
    if (why) return { handoff: link.handoff, hop, why }
    if ('lost' in link) continue
    first ??= link.envelope
    before = link.envelope
  }
  return undefined
}

function breakOf(
  handoff: string,
  envelope: Envelope,
  first: Envelope | undefined,
  before: Envelope | undefined,
  sealing: Sealing,
): Break | undefined {
  if (envelope.handoff !== handoff || !isAsSealed(envelope, sealing)) return 'altered'
  if (envelope.previous !== (before?.root ?? null)) return 'unlinked'
  if (!first || !before) return undefined
  if (!isSame(envelope, first, 'intent') || !isSame(envelope, first, 'task')) return 'intent'
  if (!goesOn(envelope, before, 'constraints') || !goesOn(envelope, before, 'exclusions')) return 'constraint'
  if (!isHopped(envelope, before)) return 'hops'
  return expiryOf(envelope) > expiryOf(before) ? 'grant' : undefined
}

/** Sealed anew it is the same: every section, their order, every leaf, and an id that only the user's key makes. */
function isAsSealed(envelope: Envelope, sealing: Sealing): boolean {
  const { handoff, previous, version, sections } = envelope
  const unsalted = sections.map(({ name, fields, body }) => ({ name, fields, body }))
  const anew = sealEnvelope(handoff, previous, version, unsalted, sealing)
  return keyOf(anew as unknown as Json) === keyOf(envelope as unknown as Json)
}

const bodyOf = ({ sections }: Envelope, name: string): Json =>
  sections.find(section => section.name === name)?.body ?? null

const isSame = (a: Envelope, b: Envelope, name: string): boolean => keyOf(bodyOf(a, name)) === keyOf(bodyOf(b, name))

const goesOn = (envelope: Envelope, before: Envelope, name: string): boolean =>
  beginsWith(listOf(bodyOf(envelope, name)), listOf(bodyOf(before, name)))

function isHopped(envelope: Envelope, before: Envelope): boolean {
  const [now, then] = [hopsOf(envelope), hopsOf(before)]
  return now.length === then.length + 1 && beginsWith(now, then)
}

const beginsWith = (list: readonly Json[], start: readonly Json[]): boolean =>
  start.every((item, i) => list[i] !== undefined && keyOf(list[i]) === keyOf(item))

const listOf = (body: Json): readonly Json[] => (Array.isArray(body) ? body : [])

const own = (body: Json, key: string): Json =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body[key] ?? null) : null

const hopsOf = (envelope: Envelope): readonly Json[] => listOf(own(bodyOf(envelope, 'hops'), 'list'))

const expiryOf = (envelope: Envelope): number => Number(own(bodyOf(envelope, 'grant'), 'expires'))

/** Whether what is worked on now is still what the last envelope says: the same intent, and every rule of it. */
export function isKept(
  work: { readonly intent: Intent; readonly constraints: readonly Rule[]; readonly exclusions: readonly Rule[] },
  envelope: Envelope,
): boolean {
  const plainly = (value: unknown): Json => JSON.parse(JSON.stringify(value))
  return (
    keyOf(plainly(work.intent)) === keyOf(bodyOf(envelope, 'intent')) &&
    beginsWith(listOf(plainly(work.constraints)), listOf(bodyOf(envelope, 'constraints'))) &&
    beginsWith(listOf(plainly(work.exclusions)), listOf(bodyOf(envelope, 'exclusions')))
  )
}
