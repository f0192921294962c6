import type { Entry, Place } from './entry.ts'

/** What is used of a browser's storage, so that no more of one is needed to compile. */
interface Shelf {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, text: string): void
  removeItem(key: string): void
}

const DIGITS = 15

/**
 * Writes kept in the browser, under a name, until they are answered: they outlive the tab. Each has a key of its own, so
 * that tabs do not write over each other's; what two tabs send both is settled once.
 */
export function browserOutbox(name: string): Place {
  const shelf = shelfOf(globalThis)
  const prefix = `selfsame.outbox.${name}.`
  const places = new Map<string, string>()
  return {
    async load() {
      const kept = keysOf(shelf).filter(key => key.startsWith(prefix))
      const entries = kept.sort().map(key => [key, JSON.parse(shelf.getItem(key) ?? 'null') as Entry | null] as const)
      return entries.flatMap(([key, entry]) => {
        if (entry) places.set(entry.key, key)
        return entry ?? []
      })
    },
    async append(entry) {
      const key = `${prefix}${String(Date.now()).padStart(DIGITS, '0')}.${String(places.size).padStart(DIGITS, '0')}.${entry.key}`
      shelf.setItem(key, JSON.stringify(entry))
      places.set(entry.key, key)
    },
    async remove(key) {
      shelf.removeItem(places.get(key) ?? '')
      places.delete(key)
    },
    async close() {},
  }
}

function shelfOf(browser: object): Shelf {
  const shelf: Shelf | undefined = Reflect.get(browser, 'localStorage')
  if (!shelf) throw new Error('Writes are kept here only in a browser. In Node use fileOutbox.')
  return shelf
}

const keysOf = (shelf: Shelf): string[] => Array.from({ length: shelf.length }, (_, i) => shelf.key(i) ?? '')
