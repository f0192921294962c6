import { useEffect } from 'preact/hooks'
import type { Event } from '../../model/handoff/handoff.ts'
import type { Frame, HandoffDetails } from '../index.ts'
import type { Person } from './person.ts'
import { groupOf, labelOf, moment, percent, shown, titleOf } from './wording.ts'

type Hop = Frame | HandoffDetails
type Told = NonNullable<Hop['told']>

/** From whom to whom, what became of it and why, what the next was told of it; the latest first. */
export function History({ person }: { readonly person: Person }) {
  useEffect(person.refresh, [person])
  const current = person.current.value
  const hops: Hop[] = [...(current ? [current] : []), ...(person.frames.value ?? [])]
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

function HopRow({ hop: { handoff, events, envelope, told, stale } }: { readonly hop: Hop }) {
  const reason = envelope.sections.find(({ name }) => name === 'reason')?.body
  return (
    <li>
      <p class="top">
        <strong class="grow">
          {handoff.from ? `Handed on by ${handoff.from.agent} (${handoff.from.role})` : 'Started'}
        </strong>
        <span class="tag">{handoff.state}</span>
      </p>
      {typeof reason === 'string' && reason !== '' && <p>{reason}</p>}
      <Events events={events} />
      {told && handoff.from && <Report told={told} />}
      {stale.length > 0 && (
        <Lines
          title="Changed since the brief"
          items={stale.map(
            ({ field, before, now, why }) =>
              `${nameOf(field)}: ${why === 'faded' ? `${shown(before)}, too faded to go by` : `${shown(before)} → ${shown(now)}`}`,
          )}
        />
      )}
    </li>
  )
}

const nameOf = (field: string): string => `${titleOf(groupOf(field))} · ${labelOf(field).toLowerCase()}`

const Events = ({ events }: { readonly events: readonly Event[] }) => (
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
)

/** What the next was told, what was left out of it and why, and what it would have had to ask for. */
function Report({ told: { completeness, strategy, allowed, used, trimmed, trimmedInAll, gaps } }: { told: Told }) {
  const more = trimmedInAll - trimmed.length
  return (
    <div class="report">
      <p class="soft small">
        Told {percent(completeness)} of what was pointed to and needed
        {allowed !== null && `, in ${used} of ${allowed} tokens (${strategy})`}.
      </p>
      {trimmed.length > 0 && (
        <Lines
          title="Left out"
          items={[
            ...trimmed.map(({ what, why }) => `${what} (${TRIMMED[why]})`),
            ...(more > 0 ? [`and ${more} more`] : []),
          ]}
        />
      )}
      {gaps.length > 0 && <Lines title="Gaps" items={gaps.map(({ field, why }) => `${nameOf(field)}: ${why}`)} />}
    </div>
  )
}

const TRIMMED = { budget: 'no room', reference: 'as a reference', lazy: 'to be fetched' } as const

const Lines = ({ title, items }: { readonly title: string; readonly items: readonly string[] }) => (
  <details class="small">
    <summary>
      {title} <span class="count">{items.length}</span>
    </summary>
    <ul>
      {items.map(item => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  </details>
)
