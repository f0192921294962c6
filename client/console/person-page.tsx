import { useEffect, useMemo } from 'preact/hooks'
import type { Desk, Work } from '../index.ts'
import { Beliefs } from './beliefs.tsx'
import { Brief } from './brief.tsx'
import { History } from './history.tsx'
import { held } from './holding.ts'
import { heldSince, open, type Person } from './person.ts'
import { go, pathOf, TABS, type Tab } from './place.ts'
import { finish, handBack } from './returning.ts'
import { now } from './session.ts'
import { shown, span, titleOf } from './wording.ts'
import { WorkPage } from './work-page.tsx'

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
          <button type="button" onClick={() => go({ name: 'inbox' })}>
            Back to the inbox
          </button>
        </section>
      </div>
    )
  const mine = mineOf(person)
  return (
    <div class="page">
      <Head desk={desk} person={person} mine={mine} tab={tab} />
      {person.work.value === undefined || person.beliefs.value === undefined ? (
        <p class="soft">Loading…</p>
      ) : (
        <Content desk={desk} person={person} mine={mine} tab={tab} />
      )}
    </div>
  )
}

const mineOf = (person: Person): Work | undefined =>
  [...held.value.values()].find(work => work.user.id === person.id && work.isHeld)

function Content({ desk, person, mine, tab }: { desk: Desk; person: Person; mine: Work | undefined; tab: Tab }) {
  if (tab === 'work') return <WorkPage person={person} mine={mine} />
  if (tab === 'history') return <History person={person} />
  return (
    <div class="columns">
      <Brief desk={desk} person={person} />
      <Beliefs desk={desk} person={person} mine={mine} />
    </div>
  )
}

function Head({ desk, person, mine, tab }: { desk: Desk; person: Person; mine: Work | undefined; tab: Tab }) {
  const name = person.beliefs.value?.get('identity.name')?.value
  const current = person.current.value
  const holder = current?.handoff.holder
  const since = current && heldSince(current.events)
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
              {since !== undefined && since !== null && `, for ${span(now.value - since)}`}
            </span>
          ) : (
            <span>{current ? `Nobody holds it: ${shown(current.handoff.state)}` : 'No open work'}</span>
          )}
        </p>
      </div>
      <nav class="tabs" aria-label="Of this person">
        {TABS.map(each => {
          const to = { name: 'user', user: person.id, tab: each } as const
          return (
            <a
              key={each}
              href={pathOf(to)}
              aria-current={each === tab ? 'page' : undefined}
              onClick={event => {
                event.preventDefault()
                go(to)
              }}
            >
              {titleOf(each)}
            </a>
          )
        })}
      </nav>
      {mine && (
        <div class="actions">
          {mine.delivery.handoff.from && (
            <button type="button" onClick={() => handBack(desk, person, mine)}>
              Return
            </button>
          )}
          <button type="button" class="primary" onClick={() => finish(person, mine)}>
            Complete
          </button>
        </div>
      )}
    </div>
  )
}
