import { useEffect, useMemo } from 'preact/hooks'
import type { Json } from '../../model/value.ts'
import type { Desk, Work } from '../index.ts'
import { list } from './desk-list.ts'
import { accept, held } from './holding.ts'
import { Overlap } from './overlap.tsx'
import { TABS, type Tab } from './page.ts'
import { heldSince, open, type Person } from './person.ts'
import { go, INBOX, pathOf } from './place.ts'
import { finish, handBack } from './returning.ts'
import { isSubject } from './role.ts'
import { now } from './session.ts'
import { decline, handOn, mayTakeOver, overtake, startWork, take } from './taking.ts'
import { shown, span } from './wording.ts'

interface Props {
  readonly desk: Desk
  readonly user: string
  readonly tab: Tab
}

export function PersonPage({ desk, user, tab }: Props) {
  const person = useMemo(() => open(desk, user), [desk, user])
  useEffect(() => person.close, [person])
  const trouble = person.trouble.value
  if (trouble !== undefined)
    return (
      <div class="page narrow">
        <section class="card blank">
          <h1>{user}</h1>
          <p>{trouble}</p>
          {!isSubject(desk) && (
            <button type="button" onClick={() => go(INBOX)}>
              Back to the inbox
            </button>
          )}
        </section>
      </div>
    )
  const mine = mineOf(person)
  return (
    <div class="page">
      <Head desk={desk} person={person} mine={mine} tab={tab} />
      {person.work.value === undefined || person.facts.fields.value === undefined ? (
        <p class="soft">Loading…</p>
      ) : (
        <tab.view desk={desk} person={person} mine={mine} />
      )}
      {person.current.value && <Overlap desk={desk} handoff={person.current.value.handoff} mine={mine} />}
    </div>
  )
}

const mineOf = (person: Person): Work | undefined =>
  [...held.value.values()].find(work => work.user.id === person.id && work.isHeld)

/** Followed through the fields, as a name may become known later. */
const nameOf = ({ facts }: Person): Json | undefined =>
  facts.fields.value && facts.of('identity.name')?.value.belief.value

function Head({ desk, person, mine, tab }: { desk: Desk; person: Person; mine: Work | undefined; tab: Tab }) {
  const name = nameOf(person)
  const current = person.current.value
  const holder = person.work.value?.handoffs.find(each => each.holder !== null)?.holder
  const since = current?.handoff.holder ? heldSince(current.events) : undefined
  const to = current?.handoff.state === 'offered' ? current.handoff.to : null
  return (
    <div class="person-head">
      <div class="grow">
        <h1>{typeof name === 'string' ? name : person.id}</h1>
        <p class="soft">
          {typeof name === 'string' && <span>{person.id} · </span>}
          {holder ? (
            <span>
              With <strong>{holder.agent === desk.agent ? 'you' : holder.agent}</strong> ({holder.role})
              {holder.agent === desk.agent && !mine && ', in another window'}
              {since !== undefined && `, for ${span(now.value - since)}`}
              {to && `, offered to ${to.agent ?? to.role}`}
            </span>
          ) : (
            <span>{current ? `Nobody holds it: ${shown(current.handoff.state)}` : 'No open work'}</span>
          )}
        </p>
      </div>
      <nav class="tabs" aria-label="Of this person">
        {TABS.filter(({ isFor }) => isFor?.(desk) ?? true).map(each => {
          const to = { name: 'user', user: person.id, tab: each.path } as const
          return (
            <a
              key={each.path}
              href={pathOf(to)}
              aria-current={each === tab ? 'page' : undefined}
              onClick={event => {
                event.preventDefault()
                go(to)
              }}
            >
              {each.title}
            </a>
          )
        })}
      </nav>
      <Acts desk={desk} person={person} mine={mine} />
    </div>
  )
}

function Acts({ desk, person, mine }: { desk: Desk; person: Person; mine: Work | undefined }) {
  const current = person.current.value?.handoff
  if (person.work.value === undefined || isSubject(desk)) return null
  if (person.work.value === null)
    return (
      <div class="actions">
        <button type="button" onClick={() => startWork(desk, person.id)}>
          Start work
        </button>
      </div>
    )
  if (mine)
    return (
      <div class="actions">
        {mine.delivery.handoff.from && (
          <button type="button" onClick={() => handBack(desk, person, mine)}>
            Return
          </button>
        )}
        <button type="button" onClick={() => handOn(desk, mine)}>
          Hand on
        </button>
        <button type="button" class="primary" onClick={() => finish(mine)}>
          Complete
        </button>
      </div>
    )
  const offer = list.value?.offers.find(({ id }) => id === current?.id)
  if (offer)
    return (
      <div class="actions">
        <button type="button" onClick={() => decline(offer)}>
          Decline
        </button>
        <button type="button" class="primary" onClick={() => take(desk, offer.id, () => accept(offer))}>
          Accept
        </button>
      </div>
    )
  if (!current || !mayTakeOver(desk)) return null
  return (
    <div class="actions">
      <button type="button" class="primary" onClick={() => overtake(desk, current)}>
        Take over
      </button>
    </div>
  )
}
