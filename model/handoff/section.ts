import type { Json } from '../value.ts'
import type { Unsalted } from './envelope.ts'
import type { Grant } from './grant.ts'
import type { Party } from './party.ts'
import type { Piece, Thread } from './piece.ts'
import { triaged, type Work } from './work.ts'

/** What a sender adds to the state of the work when it hands it on. */
export interface Message {
  readonly reason: string
  readonly next: string
  /** JSON Schema of the result; null when any will do. */
  readonly expected: Json
  /** Beliefs that the sender points to. */
  readonly refs: readonly string[]
  /** The sender's own account, besides the one that is built from the state. */
  readonly words: string | null
  /** What `reason`, `next` and `words` speak of. */
  readonly fields: readonly string[]
}

export interface Hop extends Party {
  readonly handoff: string
  readonly at: number
}

/** The sections of an envelope: what all may know, and one for each set of fields that pieces speak of. */
export function sectionsOf(work: Work, message: Message, grant: Grant, hops: readonly Hop[]): Unsalted[] {
  const { by: _, ...granted } = grant
  return [
    open('intent', { ...work.intent }),
    open('task', work.task),
    open('constraints', work.constraints),
    open('exclusions', work.exclusions),
    open('expected', message.expected),
    open('grant', granted),
    open('hops', { list: hops, cycles: cyclesIn(hops.map(({ agent }) => agent)) }),
    ...(Object.keys(work.extra).length > 0 ? [open('extra', work.extra)] : []),
    tagged('reason', message.fields, message.reason),
    tagged('next', message.fields, message.next),
    ...(message.words === null ? [] : [tagged('words', message.fields, message.words)]),
    ...message.refs.map(field => tagged('beliefs', [field], [field])),
    ...grouped('threads', triaged(work.threads).map(withoutLinks)),
    ...linksOf(work.threads),
    ...grouped('validations', work.validations),
    ...grouped('environment', work.environment),
    ...grouped('agreements', work.agreements),
    ...grouped('history', work.history),
  ]
}

const tagged = (name: string, fields: readonly string[], body: unknown): Unsalted => ({
  name,
  fields: [...fields].sort(),
  body: jsonOf(body),
})

const open = (name: string, body: unknown): Unsalted => tagged(name, [], body)

/** A copy as it would travel: what is hashed here must be what is read there. */
const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null))

const withoutLinks = ({ links: _, ...thread }: Thread): Omit<Thread, 'links'> => thread

/** Of a thread that may be read, a link still may not be. */
function linksOf(threads: readonly Thread[]): Unsalted[] {
  const links = threads.flatMap(({ id, fields, links }) =>
    links.map(({ field, why }) => ({ fields: [...new Set([...fields, field])], body: { thread: id, field, why } })),
  )
  return byFields('links', links)
}

const grouped = (name: string, pieces: readonly Pick<Piece, 'fields'>[]): Unsalted[] =>
  byFields(
    name,
    pieces.map(piece => ({ fields: piece.fields, body: piece })),
  )

function byFields(name: string, items: readonly { fields: readonly string[]; body: unknown }[]): Unsalted[] {
  const groups = new Map<string, { fields: readonly string[]; bodies: unknown[] }>()
  for (const { fields, body } of items) {
    const sorted = [...fields].sort()
    const group = groups.get(sorted.join()) ?? { fields: sorted, bodies: [] }
    group.bodies.push(body)
    groups.set(sorted.join(), group)
  }
  return [...groups.values()].map(({ fields, bodies }) => tagged(name, fields, bodies))
}

/** Agents that had the work more than once. Going round is allowed, and shown. */
export const cyclesIn = (agents: readonly string[]): string[] => [
  ...new Set(agents.filter((agent, i) => agents.indexOf(agent) !== i)),
]
