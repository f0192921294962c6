import { signal } from '@preact/signals'
import { browserOutbox, type Place, SelfsameError, type Settlement } from '../index.ts'
import { tell } from './notice.tsx'

/** Edits that are kept in this browser and not answered yet. */
export const unsent = signal(0)

let keptIn: { readonly place: Place; readonly keys: ReadonlySet<string> } | undefined

/** Forgets what waits, for good. */
export async function discard(): Promise<void> {
  for (const key of keptIn?.keys ?? []) await keptIn?.place.remove(key)
  unsent.value = 0
}

/** Each agent has its own: what one has written is never sent as the word of another. */
export function outboxFor(token: string): Place {
  const place = browserOutbox(agentIn(token))
  const keys = new Set<string>()
  keptIn = { place, keys }
  const count = (act: () => unknown) => {
    act()
    unsent.value = keys.size
  }
  return {
    ...place,
    async load() {
      const entries = await place.load()
      count(() => {
        keys.clear()
        for (const { key } of entries) keys.add(key)
      })
      return entries
    },
    async append(entry) {
      await place.append(entry)
      count(() => keys.add(entry.key))
    },
    async remove(key) {
      await place.remove(key)
      count(() => keys.delete(key))
    },
  }
}

/** Of a token that is none, nothing: it is refused before anything is sent. */
function agentIn(token: string): string {
  try {
    const [, claims = ''] = token.split('.')
    return String(JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).sub)
  } catch {
    return ''
  }
}

/** What became of an edit that was made before the page was loaded, or so long ago that nobody waits for it. */
export function settled({ user, result }: Settlement): void {
  if (result instanceof Error) tell(`An edit of ${user} that had waited was refused: ${result.message}`, 'bad')
  else tell(`An edit of ${user} that had waited was sent.`)
}

/** Offline there is no answer to wait for: the edit is kept, and its outcome is told when there is one. */
export async function written(writing: Promise<unknown>, isUp: boolean, text: string): Promise<void> {
  if (isUp) {
    await writing
    tell(text)
    return
  }
  tell('Kept. It is sent when the connection is back.')
  writing.then(
    () => tell(text),
    (error: Error) => {
      const isKept = error instanceof SelfsameError && (error.code === 'timed_out' || error.code === 'disconnected')
      if (!isKept) tell(error.message, 'bad')
    },
  )
}
