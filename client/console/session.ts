import { computed, signal } from '@preact/signals'
import { browserEnvironment } from '../bare-environment.ts'
import { connectIn } from '../desk.ts'
import { type Desk, redeem, SelfsameError } from '../index.ts'
import { forget } from './holding.ts'
import { outboxFor, settled } from './unsent.ts'

/** Who is signed in. A token is kept for this tab only, and never in an address. */
export type Session =
  | { readonly name: 'out'; readonly why?: string }
  | { readonly name: 'connecting' }
  | { readonly name: 'in'; readonly desk: Desk }

export const session = signal<Session>({ name: 'connecting' })
export const isUp = signal(true)
const desk = computed(() => (session.value.name === 'in' ? session.value.desk : undefined))
/** The server's time, by the second: what counts down or ages reads it. */
export const now = signal(Date.now())

const KEPT = 'selfsame.token'
const LINK = '#link='

/** On loading: by the link the page was opened with, else by what this tab has kept. */
export async function arrive(): Promise<void> {
  const { hash, pathname } = location
  if (hash.startsWith(LINK)) {
    // First of all, so that neither the address bar nor the history keeps it.
    history.replaceState(null, '', pathname)
    await attempt(async () => (await redeem(location.origin, hash.slice(LINK.length))).token)
    return
  }
  const kept = sessionStorage.getItem(KEPT)
  if (kept === null) session.value = { name: 'out' }
  else await signIn(kept)
}

export const signIn = (token: string): Promise<void> => attempt(async () => token.trim())

async function attempt(tokenOf: () => Promise<string>): Promise<void> {
  session.value = { name: 'connecting' }
  try {
    const token = await tokenOf()
    const joined = await connectIn(browserEnvironment(), {
      url: location.origin,
      token,
      timeout: 10_000,
      outbox: outboxFor(token),
      onSettled: settled,
      onConnection: state => {
        isUp.value = state === 'up'
      },
      onEnd: error => leave(whyOut(error)),
    })
    sessionStorage.setItem(KEPT, token)
    now.value = joined.now()
    session.value = { name: 'in', desk: joined }
  } catch (error) {
    leave(whyOut(error))
  }
}

export function signOut(): void {
  desk.value?.close()
  leave()
}

function leave(why?: string): void {
  sessionStorage.removeItem(KEPT)
  forget()
  session.value = why === undefined ? { name: 'out' } : { name: 'out', why }
}

function whyOut(error: unknown): string {
  if (!(error instanceof SelfsameError)) return String(error)
  if (error.code !== 'unauthorized') return error.message
  return error.message.includes('link') ? error.message : 'The token is invalid, has expired or was revoked.'
}

setInterval(() => {
  now.value = desk.value?.now() ?? Date.now()
}, 1_000)
