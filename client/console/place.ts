import { signal } from '@preact/signals'

/** Where in the console this is, by the path: `/console/`, `/console/users/u_42`, `/console/users/u_42/work`. */
export type Place = { readonly name: 'inbox' } | { readonly name: 'user'; readonly user: string; readonly tab: Tab }

export const TABS = ['brief', 'work', 'history'] as const
export type Tab = (typeof TABS)[number]

const BASE = '/console/'

export const place = signal<Place>(read())

function read(): Place {
  const [kind, user, tab] = location.pathname.slice(BASE.length).split('/')
  if (kind !== 'users' || !user) return { name: 'inbox' }
  return { name: 'user', user: decodeURIComponent(user), tab: TABS.find(each => each === tab) ?? 'brief' }
}

export const pathOf = (to: Place): string => {
  if (to.name === 'inbox') return BASE
  const user = `${BASE}users/${encodeURIComponent(to.user)}`
  return to.tab === 'brief' ? user : `${user}/${to.tab}`
}

export function go(to: Place): void {
  history.pushState(null, '', pathOf(to))
  place.value = read()
  scrollTo(0, 0)
}

addEventListener('popstate', () => {
  place.value = read()
})
