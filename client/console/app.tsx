import { useEffect } from 'preact/hooks'
import type { Desk } from '../index.ts'
import { Asked } from './ask.tsx'
import { follow, list } from './desk-list.ts'
import { Notices } from './notice.tsx'
import { PAGES, TABS } from './page.ts'
import { PersonPage } from './person-page.tsx'
import { go, type Place, pathOf, place } from './place.ts'
import { isSubject } from './role.ts'
import { isUp, session, signOut } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { unsent } from './unsent.ts'

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
  useEffect(() => (isSubject(desk) ? undefined : follow(desk)), [desk])
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
        <span class="mark" aria-hidden="true" />
        <nav aria-label="Pages">
          {PAGES.filter(({ isFor }) => isFor?.(desk) ?? true).map(({ path, title }) => (
            <Link key={path} path={path} label={title} count={path === '' ? waiting : 0} />
          ))}
        </nav>
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
          {unsent.value > 0 && ` ${unsent.value === 1 ? 'One edit waits' : `${unsent.value} edits wait`}.`}
        </p>
      )}
      <Notices />
      <main id="main" tabIndex={-1}>
        <Shown desk={desk} at={at} />
      </main>
      <Asked />
    </>
  )
}

function Shown({ desk, at }: { readonly desk: Desk; readonly at: Place }) {
  if (at.name === 'page' && isSubject(desk)) return <PersonPage desk={desk} user={desk.agent} tab={tabAt('')} />
  if (at.name === 'user') return <PersonPage key={at.user} desk={desk} user={at.user} tab={tabAt(at.tab)} />
  const { view: View } = PAGES.find(({ path }) => path === at.path) ?? (PAGES[0] as (typeof PAGES)[0])
  return <View desk={desk} />
}

const tabAt = (path: string) => TABS.find(tab => tab.path === path) ?? (TABS[0] as (typeof TABS)[0])

function Link({ path, label, count }: { path: string; label: string; count: number }) {
  const to: Place = { name: 'page', path }
  const isHere = place.value.name === 'page' && place.value.path === path
  return (
    <a
      class="home"
      href={pathOf(to)}
      aria-current={isHere ? 'page' : undefined}
      onClick={event => {
        event.preventDefault()
        go(to)
      }}
    >
      {label}
      {count > 0 && <span class="count">{count}</span>}
    </a>
  )
}
