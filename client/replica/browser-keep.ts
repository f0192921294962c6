import type { Keep, Kept } from './keep.ts'

const DATABASE = 'selfsame'
const STORE = 'replicas'

/** What is used of a browser's database, so that no more of one is needed to compile. */
interface Wish<T> {
  readonly result: T
  readonly error: Error | null
  onsuccess: (() => void) | null
  onerror: (() => void) | null
}

interface Factory {
  open(name: string, version: number): Opening
}

interface Opening extends Wish<Database> {
  onupgradeneeded: (() => void) | null
}

interface Database {
  createObjectStore(name: string): unknown
  transaction(store: string, mode: Mode, options: { readonly durability: 'strict' }): Transaction
  close(): void
}

interface Transaction {
  readonly error: Error | null
  objectStore(name: string): Store
  oncomplete: (() => void) | null
  onabort: (() => void) | null
}

interface Store {
  get(key: string): Wish<Kept | undefined>
  put(value: Kept, key: string): Wish<unknown>
}

type Mode = 'readonly' | 'readwrite'

/** Keeps a replica in the browser's own database, under a name. */
export function browserReplica(name: string): Keep {
  return {
    load: () => within('readonly', store => store.get(name)),
    async save(kept: Kept) {
      await within('readwrite', store => store.put(kept, name))
    },
  }
}

async function within<T>(mode: Mode, act: (store: Store) => Wish<T>): Promise<T> {
  const database = await opened()
  try {
    const transaction = database.transaction(STORE, mode, { durability: 'strict' })
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
    const wish = act(transaction.objectStore(STORE))
    await done
    return wish.result
  } finally {
    database.close()
  }
}

function opened(): Promise<Database> {
  const browser: object = globalThis
  const indexedDB: Factory | undefined = Reflect.get(browser, 'indexedDB')
  if (!indexedDB) throw new Error('A replica is kept here only in a browser. In Node use fileReplica.')
  const opening = indexedDB.open(DATABASE, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  return new Promise((resolve, reject) => {
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
}
