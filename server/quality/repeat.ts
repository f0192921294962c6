import { believe } from '../../model/belief.ts'
import type { Evidence } from '../../model/evidence.ts'
import type { Handoff } from '../../model/handoff/handoff.ts'
import { isKnown, isTold } from '../../model/known.ts'
import type { SelfModel } from '../../model/self-model.ts'
import { keyOf } from '../../model/value.ts'
import type { Authority } from '../access/authority.ts'

/** Something that the holder of a handoff heard from the user for the first time since it accepted. */
export interface Heard {
  readonly role: string
  /** It could have read the very value. */
  readonly isRepeat: boolean
}

interface Listening {
  readonly authority: Authority
  readonly now: () => number
  readonly onHeard?: (heard: Heard, at: number) => void
}

/** Tells who listens what a piece of evidence is that is about to join a model. */
export function noteHeard(
  { authority, onHeard, now }: Listening,
  user: string,
  piece: Evidence,
  model: SelfModel,
): void {
  const heard = onHeard && heardIn(authority, user, piece, model, now())
  if (heard) onHeard(heard, now())
}

/** What a piece of evidence is that is about to join a model; undefined: nothing that counts. */
function heardIn(
  authority: Authority,
  user: string,
  piece: Evidence,
  model: SelfModel,
  now: number,
): Heard | undefined {
  if (piece.type !== 'word' || piece.basis !== 'heard' || piece.not) return undefined
  const handoff = authority.heldBy(user, piece.agent)
  const role = handoff && model.schema.roles.get(piece.role)
  if (!role || handoff.from === null) return undefined
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
    isRepeat: evidence !== undefined && isKnown(belief) && isTold(evidence.field, belief, piece.value),
  }
}

const acceptedAt = ({ events, made }: Handoff): number => events.findLast(({ what }) => what === 'accepted')?.at ?? made
