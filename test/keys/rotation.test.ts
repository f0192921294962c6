import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { GuardedCells } from '../../server/store/guarded-cells.ts'
import { Keyring } from '../../server/store/keyring.ts'
import type { MasterKey } from '../../server/store/master-key.ts'
import { MemoryCells, MemoryDisk } from '../../server/store/memory-cells.ts'

/** Counts steps that reach a disk, and ends at one of them: before it has taken effect, or right after. */
class Steps {
  #left: number
  readonly #isAfter: boolean

  constructor(left: number, isAfter: boolean) {
    this.#left = left
    this.#isAfter = isAfter
  }

  take(act: () => void): void {
    const isLast = this.#left-- === 0
    if (this.#left < -1 || (isLast && !this.#isAfter)) throw new Error('killed')
    act()
    if (isLast) throw new Error('killed')
  }
}

/** What files of master keys are, on a disk that outlives the process. */
interface Files {
  current: Uint8Array
  next: Uint8Array | undefined
}

const sourceOf = (files: Files, steps: Steps): MasterKey => ({
  candidates: () => [files.current, ...(files.next ? [files.next] : [])],
  propose: key =>
    steps.take(() => {
      files.next = key
    }),
  settle: key => {
    if (!files.next) return
    steps.take(() => {
      if (files.next && Buffer.from(files.next).equals(key)) files.current = key
      files.next = undefined
    })
  },
})

const opened = (disk: MemoryDisk, files: Files, steps: Steps): Promise<Keyring> => {
  const cells = new MemoryCells(disk, async flush => steps.take(flush))
  return Keyring.on(new GuardedCells(cells), sourceOf(files, steps))
}

const USERS = Array.from({ length: 30 }, (_, i) => `u${i}`)
const NEVER = () => new Steps(Number.MAX_SAFE_INTEGER, false)

test('[KEY-1] killed at any step of a rotation, one of the two master keys opens every key, and it is gone on with', async () => {
  let isThrough = false
  for (let step = 0; !isThrough; step++)
    for (const isAfter of [false, true]) {
      const disk = new MemoryDisk()
      const files: Files = { current: randomBytes(32), next: undefined }
      const first = await opened(disk, files, NEVER())
      const minted = await Promise.all(USERS.map(user => first.mint(user)))
      const steps = new Steps(step, isAfter)
      const rotating = await opened(disk, files, steps)
      isThrough = await rotating.rotate().then(
        () => true,
        () => false,
      )
      const again = await opened(disk, files, NEVER())
      expect(USERS.map(user => again.keyOf(user))).toEqual(minted)
      expect(files.next).toBeUndefined()
      await again.mint('another')
      expect((await opened(disk, files, NEVER())).keyOf('another')).toBeDefined()
    }
})

test('[KEY-2] after a rotation the old master key opens nothing, and nothing is wrapped as it was', async () => {
  const disk = new MemoryDisk()
  const files: Files = { current: randomBytes(32), next: undefined }
  const keyring = await opened(disk, files, NEVER())
  await Promise.all(USERS.map(user => keyring.mint(user)))
  const old = files.current
  const before = [...disk.cells('key', '').values()].map(value => Buffer.from(value).toString('hex'))
  await keyring.rotate()
  expect(Buffer.from(files.current).equals(old)).toBe(false)
  await expect(opened(disk, { current: old, next: undefined }, NEVER())).rejects.toThrow(/master key/)
  const after = new Set([...disk.cells('key', '').values()].map(value => Buffer.from(value).toString('hex')))
  expect(before.filter(value => after.has(value))).toEqual([])
})
