import { signal } from '@preact/signals'

/** Where in the console this is, by the path: `/console/`, `/console/health`, `/console/users/u_42/work`. */
export type Place =
  | { readonly name: 'page'; readonly path: string }
  | { readonly name: 'user'; readonly user: string; readonly tab: string }

export const INBOX: Place = { name: 'page', path: '' }
const FIRST_TAB = 'brief'

const BASE = '/console/'
const USERS = 'users'

export const place = signal<Place>(read())

function read(): Place {
  const [kind = '', user, tab = FIRST_TAB] = location.pathname.slice(BASE.length).split('/')
  if (kind !== USERS || !user) return { name: 'page', path: kind }
  return { name: 'user', user: decodeURIComponent(user), tab }
}

export const pathOf = (to: Place): string => {
  if (to.name === 'page') return BASE + to.path
  const user = `${BASE}${USERS}/${encodeURIComponent(to.user)}`
  return to.tab === FIRST_TAB ? user : `${user}/${to.tab}`
}

export function go(to: Place): void {
  history.pushState(null, '', pathOf(to))
  place.value = read()
  scrollTo(0, 0)
}

addEventListener('popstate', () => {
  place.value = read()
})
