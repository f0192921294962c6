import { expect, test } from 'vitest'
import { Archive } from '../../server/store/archive.ts'
import { CellStorage } from '../../server/store/cell-storage.ts'
import { GuardedCells } from '../../server/store/guarded-cells.ts'
import { Keyring } from '../../server/store/keyring.ts'
import { MemoryCells, MemoryDisk, type Sync } from '../../server/store/memory-cells.ts'
import { ADMITTED, admitting, claims } from './sample.ts'

/** Whether the sync during which the power goes still reaches the disk. */
type Last = 'lost' | 'kept'

/** The mains of a machine with two disks: counts syncs, and goes at the one it is told. */
class Power {
  syncs = 0
  #isOff = false
  readonly #offAt: number
  readonly #last: Last

  constructor(offAt: number, last: Last) {
    this.#offAt = offAt
    this.#last = last
  }

  readonly sync: Sync = async flush => {
    await new Promise(resolve => setImmediate(resolve))
    this.syncs += 1
    const goes = this.syncs === this.#offAt
    if (!this.#isOff && (!goes || this.#last === 'kept')) flush()
    this.#isOff ||= goes
    if (this.#isOff) throw new Error('The power is off.')
  }
}

interface Disks {
  readonly store: MemoryDisk
  readonly keys: MemoryDisk
}

const open = ({ store, keys }: Disks, { sync }: Power): Archive =>
  new Archive(
    new CellStorage(new GuardedCells(new MemoryCells(store, sync))),
    Keyring.over(new GuardedCells(new MemoryCells(keys, sync))),
  )

const BATCHES = Array.from({ length: 24 }, (_, batch) => ({
  user: `u${batch % 3}`,
  ids: Array.from({ length: 1 + (batch % 4) }, (_, index) => `${batch}-${index}`),
}))

/** Commits, folds and notes of three users; which batches were acknowledged before the power went. */
async function work(archive: Archive): Promise<Set<number>> {
  const acknowledged = new Set<number>()
  for (let start = 0; start < BATCHES.length; start += 6) {
    const commits = BATCHES.slice(start, start + 6).map(async ({ user, ids }, index) => {
      await archive.commit(user, claims(ids), admitting(ids))
      acknowledged.add(start + index)
    })
    const note = archive.note('u0', 'served', { start })
    const settled = await Promise.allSettled([...commits, note, foldAll(archive, `u${start % 2}`)])
    if (settled.some(({ status }) => status === 'rejected')) break
  }
  return acknowledged
}

async function foldAll(archive: Archive, user: string): Promise<void> {
  const { head, evidence } = await archive.load(user)
  if (head.seq > 0) await archive.fold(user, head.epoch, head.seq, evidence, 0)
}

async function storedIds(archive: Archive, user: string): Promise<string[]> {
  const { evidence, damaged } = await archive.load(user)
  expect(damaged).toEqual([])
  return evidence.map(({ id }) => id)
}

async function expectWhole(archive: Archive, acknowledged: ReadonlySet<number>): Promise<void> {
  for (const [index, { user, ids }] of BATCHES.entries()) {
    const stored = await storedIds(archive, user)
    const there = ids.filter(id => stored.includes(id))
    expect(there.length === ids.length || (there.length === 0 && !acknowledged.has(index))).toBe(true)
    await archive.commit(user, claims(ids), (_, known) => {
      expect(known).toEqual(ids.map(id => (there.includes(id) ? ADMITTED : undefined)))
      return { evidence: [], outcomes: [], tallies: [], result: undefined }
    })
  }
}

async function expectOneOutcomeEach(archive: Archive): Promise<void> {
  for (const { user, ids } of [...BATCHES, ...BATCHES])
    expect(await archive.commit(user, claims(ids), admitting(ids))).toEqual(ids.map(() => ADMITTED))
  const stored = await Promise.all(['u0', 'u1', 'u2'].map(user => storedIds(archive, user)))
  expect(stored.flat().sort()).toEqual(BATCHES.flatMap(({ ids }) => ids).sort())
  expect(archive.tally('a').claimed).toBe(stored.flat().length)
}

test('[STO-25] crashed at any sync point, all that was acknowledged is there, nothing by half, each id once', async () => {
  const whole = new Power(0, 'kept')
  expect((await work(open({ store: new MemoryDisk(), keys: new MemoryDisk() }, whole))).size).toBe(BATCHES.length)
  expect(whole.syncs).toBeGreaterThan(10)
  for (const last of ['lost', 'kept'] as const)
    for (let offAt = 1; offAt <= whole.syncs; offAt++) {
      const disks = { store: new MemoryDisk(), keys: new MemoryDisk() }
      const crashed = open(disks, new Power(offAt, last))
      const acknowledged = await work(crashed)
      expect(await crashed.failed).toBeInstanceOf(Error)
      const restarted = open(disks, new Power(0, 'kept'))
      await expectWhole(restarted, acknowledged)
      await expectOneOutcomeEach(restarted)
    }
})
