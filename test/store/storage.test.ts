import { LmdbStorage } from '../../server/store/lmdb.ts'
import { MemoryStorage } from '../../server/store/memory.ts'
import { MemoryDisk } from '../../server/store/memory-cells.ts'
import { type Subject, storageContract } from './contract.ts'
import { scratch } from './scratch.ts'

function inMemory(disk: MemoryDisk): Subject {
  const storage = new MemoryStorage({ disk })
  return { storage, reopen: () => storage.close().then(() => inMemory(disk)) }
}

function inLmdb(directory: string): Subject {
  const storage = LmdbStorage.open(directory)
  return { storage, reopen: () => storage.close().then(() => inLmdb(directory)) }
}

storageContract('MemoryStorage', async () => inMemory(new MemoryDisk()))
storageContract('LmdbStorage', async () => inLmdb(scratch()))
