import { useEffect } from 'preact/hooks'
import type { Desk } from '../index.ts'
import { Asked } from './ask.tsx'
import { follow, list } from './desk-list.ts'
import { Inbox } from './inbox.tsx'
import { Notices } from './notice.tsx'
import { PersonPage } from './person-page.tsx'
import { go, pathOf, place } from './place.ts'
import { isUp, session, signOut } from './session.ts'
import { SignIn } from './sign-in.tsx'

export function App() {
  const state = session.value
  if (state.name === 'out') return <SignIn why={state.why} />
  if (state.name === 'connecting')
    return (
      <main class="centre">
        <p class="soft" role="status">
          Connecting…
        </p>
      </main>
    )
  return <Signed desk={state.desk} />
}

function Signed({ desk }: { readonly desk: Desk }) {
  useEffect(() => follow(desk), [desk])
  const at = place.value
  const waiting = (list.value?.offers.length ?? 0) + (list.value?.parked.length ?? 0)
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Selfsame` : 'Selfsame'
  }, [waiting])
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="bar">
        <Link to={{ name: 'inbox' }} label="Inbox" count={waiting} />
        <span class="who">
          <span>{desk.agent}</span>
          <span class="soft">{desk.role}</span>
        </span>
        <button type="button" class="quiet" onClick={signOut}>
          Sign out
        </button>
      </header>
      {!isUp.value && (
        <p class="notice warn band" role="status">
          Offline. What you write is kept and sent when the connection is back.
        </p>
      )}
      <Notices />
      <main id="main" tabIndex={-1}>
        {at.name === 'inbox' ? (
          <Inbox desk={desk} />
        ) : (
          <PersonPage key={at.user} desk={desk} user={at.user} tab={at.tab} />
        )}
      </main>
      <Asked />
    </>
  )
}

function Link({ to, label, count }: { to: Parameters<typeof go>[0]; label: string; count: number }) {
  return (
    <a
      class="home"
      href={pathOf(to)}
      onClick={event => {
        event.preventDefault()
        go(to)
      }}
    >
      <span class="mark" aria-hidden="true" />
      {label}
      {count > 0 && <span class="count">{count}</span>}
    </a>
  )
}
