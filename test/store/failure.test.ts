import { expect, test } from 'vitest'
import { MemoryStorage } from '../../server/store/memory.ts'
import { MemoryDisk, type Sync } from '../../server/store/memory-cells.ts'
import { type Form, type Storage, StorageFailure } from '../../server/store/storage.ts'
import { bytes } from './contract.ts'

const appending: Form<number> = ({ seq }) => ({
  records: [{ seq: seq + 1, sealed: bytes('said') }],
  ledger: [{ key: `k${seq + 1}`, outcome: bytes('admitted'), time: 1 }],
  tallies: [{ agent: 'x', claimed: 1, delivered: 1 }],
  result: seq + 1,
})

/** Every call there is: none may answer. */
async function expectSilence(storage: Storage): Promise<void> {
  const never: Form<void> = () => {
    throw new Error('A commit was formed after the failure.')
  }
  for (const call of [
    () => storage.load('a'),
    () => storage.commit('a', [], never),
    () => storage.commit('new', [], never),
    () => storage.fold('a', 0, { upTo: 1, chunks: [] }, 0),
    () => storage.note('a', 'n', bytes('1')),
    () => storage.putSetting('s', bytes('1')),
    () => storage.close(),
    async () => storage.tally('x'),
    async () => storage.setting('s'),
    async () => [...storage.names()],
  ])
    await expect(call()).rejects.toThrow(StorageFailure)
}

async function expectFailure(sync: Sync, flushDeadline: number): Promise<MemoryDisk> {
  const disk = new MemoryDisk()
  await new MemoryStorage({ disk }).commit('a', [], appending)
  const storage = new MemoryStorage({ disk, sync, flushDeadline })
  const pending = [
    storage.commit('a', [], appending),
    storage.commit('a', [], appending),
    storage.commit('b', [], appending),
    storage.note('c', 'n', bytes('1')),
  ]
  const outcomes = await Promise.allSettled(pending)
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StorageFailure) })
  expect(await storage.failed).toBeInstanceOf(StorageFailure)
  await expectSilence(storage)
  return disk
}

test('[STO-20] after a failed sync all pending and later calls are rejected and nothing is read', async () => {
  await expectFailure(() => Promise.reject(new Error('EIO')), 10_000)
})

test('[STO-21] what a failed sync left on the disk all the same is not read before the restart', async () => {
  const disk = await expectFailure(async flush => {
    flush()
    throw new Error('EIO')
  }, 10_000)
  expect((await new MemoryStorage({ disk }).load('a')).head.seq).toBe(2)
})

test('[STO-22] an overdue sync is a failed one, and its late success acknowledges nothing', async () => {
  let finish = () => {}
  const disk = await expectFailure(
    flush =>
      new Promise(resolve => {
        finish = () => {
          flush()
          resolve()
        }
      }),
    20,
  )
  finish()
  expect((await new MemoryStorage({ disk }).load('a')).head.seq).toBe(2)
})

test('[STO-23] nothing is read or acknowledged before it is flushed, and a crash loses it', async () => {
  const disk = new MemoryDisk()
  let storage = new MemoryStorage()
  let commit = Promise.resolve(0)
  const flush = await new Promise<() => void>(syncing => {
    storage = new MemoryStorage({ disk, sync: late => new Promise(() => syncing(late)) })
    commit = storage.commit('a', [], appending)
  })
  expect((await storage.load('a')).log).toEqual([])
  expect(storage.tally('x')).toEqual({ claimed: 0, delivered: 0 })
  storage.crash()
  await expect(commit).rejects.toThrow(StorageFailure)
  flush()
  expect((await new MemoryStorage({ disk }).load('a')).log).toEqual([])
})

test('[STO-24] what is handed over during a sync shares the next one', async () => {
  let syncs = 0
  const storage = new MemoryStorage({
    sync: async flush => {
      syncs += 1
      await new Promise(resolve => setImmediate(resolve))
      flush()
    },
  })
  await Promise.all(Array.from({ length: 100 }, (_, index) => storage.commit(`u${index}`, [], appending)))
  expect(syncs).toBeLessThanOrEqual(2)
})
