import { computed, signal } from '@preact/signals'
import { browserEnvironment } from '../bare-environment.ts'
import { connectIn } from '../desk.ts'
import { type Desk, redeem, SelfsameError } from '../index.ts'
import { ask } from './ask.tsx'
import { forget, heldBy } from './holding.ts'
import { discard, outboxFor, settled, unsent } from './unsent.ts'

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
    heldBy(joined.agent)
    now.value = joined.now()
    session.value = { name: 'in', desk: joined }
  } catch (error) {
    leave(whyOut(error))
  }
}

/** What waits is not left behind on a machine that others may use: it is sent before, or given up knowingly. */
export function signOut(): void {
  if (unsent.value === 0) out()
  else
    ask({
      title: 'Sign out',
      about: `${unsent.value === 1 ? 'One edit waits' : `${unsent.value} edits wait`} for the server and would be lost.`,
      inputs: [],
      action: 'Sign out',
      tone: 'danger',
      run: async () => {
        await discard()
        out()
      },
    })
}

function out(): void {
  desk.value?.close({ within: 0 })
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
