import { believe } from '../../model/belief.ts'
import type { Evidence } from '../../model/evidence.ts'
import type { Handoff } from '../../model/handoff/handoff.ts'
import { inquired } from '../../model/handoff/inquiry.ts'
import { isKnown, isTold } from '../../model/known.ts'
import type { Role } from '../../model/role.ts'
import type { SelfModel } from '../../model/self-model.ts'
import { keyOf } from '../../model/value.ts'
import type { Authority } from '../access/authority.ts'

/** Something that the holder of a handoff asked for, or heard from the user, for the first time since it accepted. */
export interface Sought {
  readonly role: string
  readonly way: 'asked' | 'heard'
  /** It could have read it: what it asked for was known, what it heard was the very value. */
  readonly isRepeat: boolean
}

interface Listening {
  readonly authority: Authority
  readonly now: () => number
  readonly onSought?: (sought: Sought, at: number) => void
}

/** Tells who listens what a piece of evidence is that is about to join a model. */
export function noteHeard(
  { authority, onSought, now }: Listening,
  user: string,
  piece: Evidence,
  model: SelfModel,
): void {
  const heard = onSought && heardIn(authority, user, piece, model, now())
  if (heard) onSought(heard, now())
}

/** What a piece of evidence is that is about to join a model; undefined: nothing that counts. */
function heardIn(
  authority: Authority,
  user: string,
  piece: Evidence,
  model: SelfModel,
  now: number,
): Sought | undefined {
  if (piece.type !== 'word' || piece.basis !== 'heard' || piece.not) return undefined
  const handoff = authority.heldBy(user, piece.agent)
  const role = handoff && model.schema.roles.get(piece.role)
  if (!role || handoff.from === null || inquired(handoff).includes(piece.field)) return undefined
  const evidence = model.field(piece.field)
  const element = evidence?.field.kind === 'set' ? keyOf(piece.value) : ''
  const since = acceptedAt(handoff)
  const isMentioned = evidence?.terms.some(
    term => term.agent === piece.agent && term.at >= since && term.element === element,
  )
  if (isMentioned) return undefined
  const isReadable = authority.granted(role, handoff.grant).read.has(piece.field)
  const belief = evidence && isReadable ? believe(evidence, now, piece.task) : undefined
  return {
    role: role.name,
    way: 'heard',
    isRepeat: evidence !== undefined && isKnown(belief) && isTold(evidence.field, belief, piece.value),
  }
}

/** Who asks, under which handoff, and for which task. */
export interface Asking {
  readonly agent: string
  readonly role: Role
  readonly handoff: Handoff
  readonly task: string
}

/** What asking for each of some fields is, as things are known now; of what the asker has itself said since it accepted, nothing. */
export function askedIn(
  authority: Authority,
  asking: Asking,
  fields: readonly string[],
  model: SelfModel,
  now: number,
) {
  const { agent, role, handoff, task } = asking
  if (handoff.from === null) return []
  const since = acceptedAt(handoff)
  const { read } = authority.granted(role, handoff.grant)
  return fields.flatMap((field): Sought[] => {
    const evidence = model.field(field)
    if (evidence?.terms.some(term => term.agent === agent && term.at >= since)) return []
    const isRepeat = evidence !== undefined && read.has(field) && isKnown(believe(evidence, now, task))
    return [{ role: role.name, way: 'asked', isRepeat }]
  })
}

const acceptedAt = ({ events, made }: Handoff): number => events.findLast(({ what }) => what === 'accepted')?.at ?? made
