import type { Handoff } from '../../model/handoff/handoff.ts'
import { isOpen } from '../../model/handoff/handoff.ts'
import type { Party, Target } from '../../model/handoff/party.ts'
import type { BroadcastSeen, ReceiverSeen } from '../../model/wire/handoff.ts'
import type { Kept } from './kept.ts'

/** One handoff to many, as it is kept. It never changes: how it stands is how the parts of its receivers stand. */
export interface Broadcast {
  readonly id: string
  readonly from: Party
  /** By which its sender holds the work. */
  readonly handoff: string
  readonly made: number
  readonly deadline: number
  readonly receivers: readonly { readonly to: Target; readonly handoff: string }[]
}

/** The seal of a paper vouches for its shape. */
export const asBroadcast = (paper: unknown): Broadcast | undefined => paper as Broadcast | undefined

/** Who has acted and who has not. */
export function broadcastSeen(broadcast: Broadcast, find: (id: string) => Kept | undefined): BroadcastSeen {
  const { id, from, made, deadline } = broadcast
  const parts = broadcast.receivers.flatMap(({ to, handoff }) => {
    const kept = find(handoff)
    return kept ? [{ to, handoff: kept.handoff }] : []
  })
  return {
    ...{ id, mode: 'broadcast', from, made, deadline },
    state: parts.some(({ handoff }) => isOpen(handoff)) ? 'open' : 'ended',
    acted: parts.filter(({ handoff }) => handoff.state.name === 'completed').length,
    receivers: parts.map(({ to, handoff }) => receiverSeen(to, handoff)),
  }
}

/** What a receiver said freely of why it failed is not told here: it is for people, and in the frame. */
function receiverSeen(to: Target, { id, state }: Handoff): ReceiverSeen {
  const isOwn = state.name === 'failed' && (state.by === null || state.why === 'declined')
  return { to, handoff: id, state: state.name, ...(isOwn && { why: state.why }) }
}
