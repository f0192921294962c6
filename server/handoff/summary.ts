import type { Handoff } from '../../model/handoff/handoff.ts'
import type { HandoffSeen } from '../../model/wire/handoff.ts'

/** How a handoff stands. It says nothing of the user or of what is carried. */
export function summaryOf(handoff: Handoff): HandoffSeen {
  const { id, from, previous, epoch, urgency, hop, mode, broadcast, overlap, made, state, targets, grant } = handoff
  const holder = 'holder' in state ? { agent: state.holder.agent, role: state.holder.role } : null
  return {
    id,
    state: state.name,
    epoch,
    from,
    to: state.name === 'offered' ? (targets[state.target] ?? null) : null,
    holder,
    previous,
    next: 'next' in state ? state.next : null,
    lease: 'lease' in state ? state.lease : null,
    expires: grant.expires,
    urgency,
    hop,
    overlap: overlap && 'holder' in state ? { with: overlap.with, until: overlap.until } : null,
    mode,
    ...(broadcast !== undefined && { broadcast }),
    made,
    ...(state.name === 'parked' && { why: state.why }),
  }
}
