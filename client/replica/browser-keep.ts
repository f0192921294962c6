import type { Keep, Kept } from './keep.ts'

const DATABASE = 'selfsame'
const STORE = 'replicas'

/** Keeps a replica in the browser's own database, under a name. */
export function browserReplica(name: string): Keep {
  return {
    load: () => within('readonly', store => store.get(name)),
    async save(kept: Kept) {
      await within('readwrite', store => store.put(kept, name))
    },
  }
}

async function within<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await opened()
  try {
    const transaction = database.transaction(STORE, mode, { durability: 'strict' })
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
    const request = act(transaction.objectStore(STORE))
    await done
    return request.result
  } finally {
    database.close()
  }
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE)
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
