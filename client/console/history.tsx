import type { Event } from '../../model/handoff/handoff.ts'
import type { HandoffSeen } from '../index.ts'
import type { Person } from './person.ts'
import { moment, titleOf } from './wording.ts'

interface Hop {
  readonly handoff: HandoffSeen
  readonly events: readonly Event[]
  readonly reason: string | undefined
}

/** From whom to whom, what became of it and why; the latest first. */
export function History({ person }: { readonly person: Person }) {
  const current = person.current.value
  const hops: Hop[] = [...(current ? [current] : []), ...(person.frames.value ?? [])].map(
    ({ handoff, events, envelope }) => {
      const said = envelope.sections.find(({ name }) => name === 'reason')?.body
      return { handoff, events, reason: typeof said === 'string' && said !== '' ? said : undefined }
    },
  )
  const unique = [...new Map(hops.map(hop => [hop.handoff.id, hop])).values()]
  if (unique.length === 0)
    return (
      <section class="card blank">
        <h2>No handoffs yet</h2>
        <p class="soft">Each time this person is passed on, it is listed here.</p>
      </section>
    )
  return (
    <section class="card" aria-label="History">
      <ol class="timeline">
        {unique
          .sort((a, b) => b.handoff.made - a.handoff.made)
          .map(hop => (
            <HopRow key={hop.handoff.id} hop={hop} />
          ))}
      </ol>
    </section>
  )
}

const HopRow = ({ hop: { handoff, events, reason } }: { readonly hop: Hop }) => (
  <li>
    <p class="top">
      <strong class="grow">
        {handoff.from ? `Handed on by ${handoff.from.agent} (${handoff.from.role})` : 'Started'}
      </strong>
      <span class="tag">{handoff.state}</span>
    </p>
    {reason && <p>{reason}</p>}
    <ul class="events">
      {events.map(({ at, what, by, why }) => (
        <li key={`${at}${what}`}>
          <time dateTime={new Date(at).toISOString()}>{moment(at)}</time>
          <span>
            {titleOf(what)}
            {by !== undefined && ` by ${by}`}
            {why !== undefined && <span class="soft">: {why}</span>}
          </span>
        </li>
      ))}
    </ul>
  </li>
)
