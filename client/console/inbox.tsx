import type { ComponentChildren } from 'preact'
import type { Desk, ListedHandoff, Offer } from '../index.ts'
import { type DeskList, list } from './desk-list.ts'
import { accept } from './holding.ts'
import { allow, permission } from './notification.ts'
import { go } from './place.ts'
import { now } from './session.ts'
import { decline, mayTakeOver, overtake, take } from './taking.ts'
import { labelOf, span, urgencyOf } from './wording.ts'

export function Inbox({ desk }: { readonly desk: Desk }) {
  const known = list.value
  return (
    <div class="page narrow">
      <div class="heading">
        <h1 class="grow">Inbox</h1>
        {permission.value === 'default' && (
          <button type="button" class="quiet" onClick={allow}>
            Notify me
          </button>
        )}
        <OpenUser />
      </div>
      {known ? <Lists desk={desk} known={known} /> : <p class="soft">Loading…</p>}
    </div>
  )
}

function Lists({ desk, known }: { readonly desk: Desk; readonly known: DeskList }) {
  return (
    <>
      <Section
        title="Offered to you"
        count={known.offers.length}
        empty="Nobody waits. New offers appear here by themselves."
      >
        {known.offers.map(offer => (
          <OfferRow key={offer.id} desk={desk} offer={offer} />
        ))}
      </Section>
      <Section title="Yours" count={known.mine.length} empty="You hold no work.">
        {known.mine.map(each => (
          <HandoffRow key={each.id} handoff={each}>
            <Open handoff={each} />
          </HandoffRow>
        ))}
      </Section>
      <Section title="Parked" count={known.parked.length} empty="Nothing is parked.">
        {known.parked.map(each => (
          <HandoffRow key={each.id} handoff={each}>
            <Open handoff={each} />
            {mayTakeOver(desk) && (
              <button type="button" class="primary" onClick={() => overtake(desk, each)}>
                Take over
              </button>
            )}
          </HandoffRow>
        ))}
      </Section>
      {known.others.length > 0 && (
        <Section title="With others" count={known.others.length} empty="">
          {known.others.map(each => (
            <HandoffRow key={each.id} handoff={each}>
              <Open handoff={each} />
              {mayTakeOver(desk) && (
                <button type="button" onClick={() => overtake(desk, each)}>
                  Take over
                </button>
              )}
            </HandoffRow>
          ))}
        </Section>
      )}
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly count: number
  readonly empty: string
  readonly children: ComponentChildren
}

const Section = ({ title, count, empty, children }: SectionProps) => (
  <section class="list">
    <h2>
      {title} {count > 0 && <span class="soft">{count}</span>}
    </h2>
    {count === 0 ? <p class="empty">{empty}</p> : <ul>{children}</ul>}
  </section>
)

function OfferRow({ desk, offer }: { readonly desk: Desk; readonly offer: Offer }) {
  const { from, needs, isResumed } = offer
  const user = list.value?.all.find(({ id }) => id === offer.id)?.user
  return (
    <li class="row">
      <Urgency urgency={offer.urgency} />
      <div class="grow">
        <p>
          <strong>{user ?? 'A user'}</strong>{' '}
          <span class="soft">{from ? `from ${from.agent} (${from.role})` : 'new work'}</span>
        </p>
        <p class="soft small">
          Waiting {span(now.value - offer.made)}
          {isResumed && ' · was held before'}
          {needs.known.length > 0 && ` · ${needs.known.length} of ${needs.known.length + needs.missing.length} known`}
        </p>
        {needs.missing.length > 0 && <p class="small">Ask for: {needs.missing.map(labelOf).join(', ')}</p>}
      </div>
      <div class="actions">
        <button type="button" onClick={() => decline(offer)}>
          Decline
        </button>
        <button type="button" class="primary" onClick={() => take(desk, offer.id, () => accept(offer))}>
          Accept
        </button>
      </div>
    </li>
  )
}

function HandoffRow({ handoff, children }: { readonly handoff: ListedHandoff; readonly children: ComponentChildren }) {
  const { user, holder, made, state, why } = handoff
  return (
    <li class="row">
      <Urgency urgency={handoff.urgency} />
      <div class="grow">
        <p>
          <strong>{user ?? 'A user'}</strong> {holder && <span class="soft">with {holder.agent}</span>}
        </p>
        <p class="soft small">
          {state === 'parked' ? `Parked: ${why}` : state === 'passing' ? 'Being handed on' : 'Held'} · open for{' '}
          {span(now.value - made)}
        </p>
      </div>
      <div class="actions">{children}</div>
    </li>
  )
}

const Urgency = ({ urgency }: { readonly urgency: number }) => (
  <span class={`urgency ${urgencyOf(urgency)}`}>{urgencyOf(urgency)}</span>
)

const Open = ({ handoff: { user } }: { readonly handoff: ListedHandoff }) =>
  user === undefined ? null : (
    <button type="button" onClick={() => go({ name: 'user', user, tab: 'brief' })}>
      Open
    </button>
  )

const OpenUser = () => (
  <form
    class="inline"
    onSubmit={event => {
      event.preventDefault()
      const user = String(new FormData(event.currentTarget).get('user')).trim()
      if (user !== '') go({ name: 'user', user, tab: 'brief' })
    }}
  >
    <label class="hidden" for="user">
      User id
    </label>
    <input id="user" name="user" type="text" placeholder="User id" autocomplete="off" />
    <button type="submit">Open</button>
  </form>
)
