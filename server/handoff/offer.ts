import type { Handoff } from '../../model/handoff/handoff.ts'
import type { Role } from '../../model/role.ts'
import type { View } from '../../model/view.ts'
import type { OfferSeen } from '../../model/wire/handoff.ts'
import type { House } from '../room/house.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Kept } from './kept.ts'

/** What is told of a handoff before it is accepted: nothing of the user, not even who it is. */
export async function offerOf(house: House, rooms: Rooms, { user, handoff }: Kept, role: Role): Promise<OfferSeen> {
  const scope = house.authority.granted(role, handoff.grant)
  const view = role.needs.length > 0 ? await rooms.with(user, room => room.view(scope, '').view) : new Map()
  return { ...offered(handoff), needs: needsIn(view, role) }
}

const offered = ({ id, from, urgency, hop, made, epoch, state, targets }: Handoff): Omit<OfferSeen, 'needs'> => ({
  id,
  from,
  to: (state.name === 'offered' ? targets[state.target] : undefined) ?? null,
  urgency,
  hop,
  made,
  attempt: state.name === 'offered' ? state.attempt : 0,
  isResumed: epoch > 0,
})

/** Which of the fields a role wants to know are known, and which it would have to ask for. */
export function needsIn(view: View, { needs }: Role): OfferSeen['needs'] {
  const isKnown = (field: string) => {
    const belief = view.get(field)
    return belief !== undefined && belief.value !== null && belief.status !== 'stale'
  }
  return { known: needs.filter(isKnown), missing: needs.filter(field => !isKnown(field)) }
}
