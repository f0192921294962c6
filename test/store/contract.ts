import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Formed, LedgerEntry, LogRecord, Storage } from '../../server/store/storage.ts'
import { MAX_WAITING } from '../../server/store/turns.ts'

/** A storage under test, which can be closed and opened again on what it left. */
export interface Subject {
  readonly storage: Storage
  reopen(): Promise<Subject>
}

export const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))
const text = (sealed: Uint8Array | undefined): string | undefined => sealed && Buffer.from(sealed).toString()

const record = (seq: number, said = `r${seq}`): LogRecord => ({ seq, sealed: bytes(said) })
const entry = (key: string, time = 1, outcome = key): LedgerEntry => ({ key, outcome: bytes(outcome), time })
const NOTHING: Formed<undefined> = { records: [], ledger: [], tallies: [], result: undefined }

/** Appends so many records, and says up to which number. */
function append(storage: Storage, name: string, count: number, ledger: LedgerEntry[] = []): Promise<number> {
  return storage.commit(name, [], ({ seq }) => ({
    ...NOTHING,
    records: Array.from({ length: count }, (_, index) => record(seq + index + 1)),
    ledger,
    result: seq + count,
  }))
}

const known = (storage: Storage, name: string, keys: readonly string[]): Promise<(string | undefined)[]> =>
  storage.commit(name, keys, (_, outcomes) => ({ ...NOTHING, result: outcomes.map(text) }))

async function logged(storage: Storage, name: string): Promise<(string | undefined)[]> {
  return (await storage.load(name)).log.map(({ seq, sealed }) => `${seq}:${text(sealed)}`)
}

const noted = (number: number, owner: string) => ({ number, owner, record: bytes(`of ${owner}`) })

/** Writes something of each kind that is kept under a name: more than goes in one write. */
async function fill(storage: Storage, name: string, owner: string): Promise<void> {
  const ids = Array.from({ length: 700 }, (_, index) => `${owner}:${index}`)
  await storage.commit(name, [], ({ seq }) => ({
    records: Array.from({ length: 1_500 }, (_, index) => record(seq + index + 1)),
    ledger: [entry('k1'), entry('k2')],
    tallies: [{ agent: 'x', claimed: 1, delivered: 0.5 }],
    papers: { owner, written: ids.map(id => ({ id, sealed: bytes(id) })), filed: ids, isOpen: true },
    result: undefined,
  }))
  await storage.fold(name, 0, { upTo: 400, chunks: [bytes('one'), bytes('two')] }, 0)
  await storage.note(name, 'served', bytes('note'))
  await storage.audit.append([noted((storage.audit.last()?.[0] ?? 0) + 1, name)])
}

async function everything(storage: Storage, name: string, owner: string) {
  return {
    stored: await storage.load(name),
    outcomes: await known(storage, name, ['k1', 'k2']),
    papers: [...storage.papers(name)].map(([id]) => id),
    whose: storage.whose(`${owner}:0`),
    isOpen: [...storage.open()].includes(owner),
    isNamed: [...storage.names()].includes(name),
    trail: [...storage.audit.trail(name)],
  }
}

/** What every storage keeps to, whatever it is made of. */
export function storageContract(kind: string, open: () => Promise<Subject>): void {
  describe(kind, () => {
    test('[STO-1] of a new user an empty log at sequence 0 is loaded', async () => {
      const { storage } = await open()
      const stored = await storage.load('new')
      expect(stored).toEqual({ head: { epoch: 0, seq: 0 }, snapshot: undefined, log: [], notes: new Map() })
      expect([...storage.names()]).toEqual([])
    })

    test('[STO-90] papers are written with their commit and read by id and in order, each owner’s own, also after reopening', async () => {
      const subject = await open()
      const file = (owner: string, ids: readonly string[], isOpen: boolean) => ({
        ...NOTHING,
        papers: { owner, written: ids.map(id => ({ id, sealed: bytes(`${owner} ${id}`) })), filed: ids, isOpen },
      })
      await subject.storage.commit('a', [], () => file('d1', ['h:2', 'h:1', 'w:1'], true))
      await subject.storage.commit('b', [], () => file('d2', ['h:3'], true))
      await subject.storage.commit('b', [], () => file('d2', [], false))
      const { storage } = await subject.reopen()
      expect(text(storage.paper('a', 'h:1'))).toBe('d1 h:1')
      expect(storage.paper('b', 'h:1')).toBeUndefined()
      expect([...storage.papers('a', 'h:2')].map(([id]) => id)).toEqual(['h:2', 'w:1'])
      expect([storage.whose('h:1'), storage.whose('h:3'), storage.whose('none')]).toEqual(['d1', 'd2', undefined])
      expect([...storage.open()]).toEqual(['d1'])
    })

    test('[STO-91] a commit that is refused leaves no paper, no owner and nothing open', async () => {
      const { storage } = await open()
      const papers = { owner: 'd', written: [{ id: 'h:1', sealed: bytes('x') }], filed: ['h:1'], isOpen: true }
      await expect(
        storage.commit('a', [], ({ seq }) => ({ ...NOTHING, records: [record(seq + 9)], papers })),
      ).rejects.toThrow()
      expect([storage.paper('a', 'h:1'), storage.whose('h:1'), [...storage.open()]]).toEqual([undefined, undefined, []])
    })

    test('[STO-2] what was committed is there, and there after reopening, in order', async () => {
      const subject = await open()
      await append(subject.storage, 'a', 300, [entry('k')])
      await append(subject.storage, 'ab', 1)
      const { storage } = await subject.reopen()
      const { head, log } = await storage.load('a')
      expect(head).toEqual({ epoch: 0, seq: 300 })
      expect(log.map(({ seq, sealed }) => `${seq}:${text(sealed)}`)).toEqual(
        Array.from({ length: 300 }, (_, index) => `${index + 1}:r${index + 1}`),
      )
      expect(await logged(storage, 'ab')).toEqual(['1:r1'])
      expect([...storage.names()].sort()).toEqual(['a', 'ab'])
    })

    test('[STO-3] a commit is formed with the outcomes of its claims by position, each user’s own', async () => {
      const { storage } = await open()
      await append(storage, 'a', 1, [entry('x'), entry('z')])
      await append(storage, 'b', 1, [entry('y')])
      expect(await known(storage, 'a', ['z', 'y', 'x'])).toEqual(['z', undefined, 'x'])
    })

    test('[STO-4] what forming throws rejects the commit, writes nothing and stops nobody', async () => {
      const { storage } = await open()
      const thrown = storage.commit('a', [], () => {
        throw new Error('no')
      })
      const next = append(storage, 'a', 1)
      await expect(thrown).rejects.toThrow('no')
      expect(await next).toBe(1)
      expect(await logged(storage, 'a')).toEqual(['1:r1'])
    })

    test('[STO-5] commits of one user are formed one after another, against what the one before left', async () => {
      const { storage } = await open()
      const claims = Array.from({ length: 50 }, (_, index) => `k${index % 10}`)
      const firsts = await Promise.all(
        claims.map(key =>
          storage.commit('a', [key], ({ seq }, [outcome]) =>
            outcome
              ? { ...NOTHING, result: text(outcome) }
              : { ...NOTHING, records: [record(seq + 1)], ledger: [entry(key, 1, `${seq + 1}`)], result: `${seq + 1}` },
          ),
        ),
      )
      expect(firsts).toEqual(claims.map((_, index) => `${(index % 10) + 1}`))
      expect(await logged(storage, 'a')).toHaveLength(10)
    })

    test('[STO-6] records out of sequence are refused and nothing of the commit is written', async () => {
      const { storage } = await open()
      await append(storage, 'a', 2)
      const skewed = (seqs: number[]) =>
        storage.commit('a', [], () => ({ ...NOTHING, records: seqs.map(seq => record(seq)), ledger: [entry('k')] }))
      for (const seqs of [[2], [4], [3, 3], [3, 5], [4, 3]]) await expect(skewed(seqs)).rejects.toThrow(RangeError)
      expect(await known(storage, 'a', ['k'])).toEqual([undefined])
      expect((await storage.load('a')).head.seq).toBe(2)
    })

    test('[STO-7] a key that the store could not hold is refused before anything is written', async () => {
      const { storage } = await open()
      const bad = (key: string) =>
        storage.commit('a', [], () => ({ ...NOTHING, records: [record(1)], ledger: [entry('k'), entry(key)] }))
      for (const key of ['', 'x'.repeat(5_000), 'a\0b']) await expect(bad(key)).rejects.toThrow(RangeError)
      expect(await storage.load('a')).toMatchObject({ head: { seq: 0 }, log: [] })
      expect(await known(storage, 'a', ['k'])).toEqual([undefined])
    })

    test('[STO-8] a fold puts the snapshot in the place of the log up to it; later records stay', async () => {
      const subject = await open()
      await append(subject.storage, 'a', 5)
      const first = { upTo: 3, chunks: [bytes('one'), bytes('two'), bytes('three')] }
      expect(await subject.storage.fold('a', 0, first, 0)).toBe(true)
      expect(await logged(subject.storage, 'a')).toEqual(['4:r4', '5:r5'])
      expect(await subject.storage.fold('a', 0, { upTo: 4, chunks: [bytes('all')] }, 0)).toBe(true)
      await append(subject.storage, 'a', 1)
      const { storage } = await subject.reopen()
      const stored = await storage.load('a')
      expect(stored.head.seq).toBe(6)
      expect(stored.snapshot?.upTo).toBe(4)
      expect(stored.snapshot?.chunks.map(text)).toEqual(['all'])
      expect(await logged(storage, 'a')).toEqual(['5:r5', '6:r6'])
    })

    test('[STO-9] a fold of another epoch does nothing, and one outside the log is refused', async () => {
      const { storage } = await open()
      await append(storage, 'a', 5)
      expect(await storage.fold('a', 1, { upTo: 3, chunks: [bytes('no')] }, 0)).toBe(false)
      await storage.fold('a', 0, { upTo: 3, chunks: [bytes('yes')] }, 0)
      for (const upTo of [0, 2, 6])
        await expect(storage.fold('a', 0, { upTo, chunks: [bytes('no')] }, 0)).rejects.toThrow(RangeError)
      const { snapshot, log } = await storage.load('a')
      expect(snapshot?.chunks.map(text)).toEqual(['yes'])
      expect(log).toHaveLength(2)
    })

    test('[STO-10] a fold forgets the outcomes from before a time, however many, and no others', async () => {
      const { storage } = await open()
      const ledger = Array.from({ length: 2_500 }, (_, index) => entry(`k${index}`, index))
      await append(storage, 'a', 1, ledger)
      await append(storage, 'b', 1, ledger)
      await storage.fold('a', 0, { upTo: 1, chunks: [] }, 2_400)
      const keys = ledger.map(({ key }) => key)
      expect(await known(storage, 'a', keys)).toEqual(keys.map((key, index) => (index < 2_400 ? undefined : key)))
      expect(await known(storage, 'b', keys)).toEqual(keys)
    })

    test('[STO-11] of each kind of note the last is kept', async () => {
      const subject = await open()
      await subject.storage.note('a', 'served', bytes('1'))
      await subject.storage.note('a', 'other', bytes('2'))
      await subject.storage.note('a', 'served', bytes('3'))
      const { notes } = await (await subject.reopen()).storage.load('a')
      expect([...notes].map(([kind, note]) => [kind, text(note)]).sort()).toEqual([
        ['other', '2'],
        ['served', '3'],
      ])
    })

    test('[STO-12] tallies of an agent add up over commits of many users at once', async () => {
      const subject = await open()
      const tallies = [{ agent: 'x', claimed: 1, delivered: 0.5 }]
      const commits = Array.from({ length: 200 }, (_, index) =>
        subject.storage.commit(`u${index % 40}`, [], () => ({ ...NOTHING, tallies })),
      )
      await Promise.all(commits)
      expect(subject.storage.tally('x')).toEqual({ claimed: 200, delivered: 100 })
      const { storage } = await subject.reopen()
      await storage.commit('u', [], () => ({ ...NOTHING, tallies: [...tallies, ...tallies] }))
      expect(storage.tally('x')).toEqual({ claimed: 202, delivered: 101 })
      expect(storage.tally('y')).toEqual({ claimed: 0, delivered: 0 })
    })

    test('[STO-13] settings are kept', async () => {
      const subject = await open()
      await subject.storage.putSetting('s', bytes('1'))
      await subject.storage.putSetting('s', bytes('2'))
      const { storage } = await subject.reopen()
      expect(text(storage.setting('s'))).toBe('2')
      expect(storage.setting('t')).toBeUndefined()
    })

    test('[STO-14] closing waits for what was handed over', async () => {
      const subject = await open()
      const commits = [
        append(subject.storage, 'a', 1),
        append(subject.storage, 'a', 1),
        append(subject.storage, 'b', 1),
      ]
      const reopened = subject.reopen()
      expect(await Promise.all(commits)).toEqual([1, 2, 1])
      expect(await logged((await reopened).storage, 'a')).toEqual(['1:r1', '2:r2'])
    })

    test('[STO-15] more commits than may wait for one user are refused, and the others are made', async () => {
      const { storage } = await open()
      const commits = Array.from({ length: MAX_WAITING + 5 }, () => append(storage, 'a', 1))
      const settled = await Promise.allSettled(commits)
      expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(5)
      expect((await storage.load('a')).head.seq).toBe(MAX_WAITING)
    })

    test('[STO-17] forgetting drops the outcomes from before a time, however many, and leaves the log as it is', async () => {
      const subject = await open()
      const ledger = Array.from({ length: 2_500 }, (_, index) => entry(`k${index}`, index))
      await append(subject.storage, 'a', 3, ledger)
      await append(subject.storage, 'b', 1, ledger)
      await subject.storage.forget('none', 1_000)
      await subject.storage.forget('a', 1_200)
      const { storage } = await subject.reopen()
      const keys = ledger.map(({ key }) => key)
      expect(await known(storage, 'a', keys)).toEqual(keys.map((key, index) => (index < 1_200 ? undefined : key)))
      expect(await known(storage, 'b', keys)).toEqual(keys)
      expect(await logged(storage, 'a')).toEqual(['1:r1', '2:r2', '3:r3'])
    })

    test('[STO-18] clearing a name leaves it as new, however much there was; others, tallies and the audit keep theirs', async () => {
      const subject = await open()
      await fill(subject.storage, 'a', 'd1')
      await fill(subject.storage, 'ab', 'd2')
      const before = await everything(subject.storage, 'ab', 'd2')
      await subject.storage.clear('a', 'd1')
      await subject.storage.clear('none', 'd3')
      const { storage } = await subject.reopen()
      expect(await everything(storage, 'a', 'd1')).toEqual({
        stored: { head: { epoch: 0, seq: 0 }, snapshot: undefined, log: [], notes: new Map() },
        outcomes: [undefined, undefined],
        papers: [],
        whose: undefined,
        isOpen: false,
        isNamed: false,
        trail: [],
      })
      expect(await everything(storage, 'ab', 'd2')).toEqual(before)
      expect(storage.tally('x')).toEqual({ claimed: 2, delivered: 1 })
      expect([1, 2].map(number => text(storage.audit.get(number)))).toEqual(['of a', 'of ab'])
      expect(await append(storage, 'a', 1)).toBe(1)
    })

    test('[STO-19] commits and a clearing of one name at once are made one after another, each whole', async () => {
      const { storage } = await open()
      await append(storage, 'a', 1_500)
      const [, , next] = await Promise.all([append(storage, 'a', 2), storage.clear('a', 'd'), append(storage, 'a', 1)])
      expect(next).toBe(1)
      expect(await storage.load('a')).toMatchObject({ head: { seq: 1 }, snapshot: undefined })
      expect(await logged(storage, 'a')).toEqual(['1:r1'])
    })

    test('[STO-93] entries of the audit are read by number, from a number on and by owner, the latest first, also after reopening', async () => {
      const subject = await open()
      expect([subject.storage.audit.last(), subject.storage.audit.get(1)]).toEqual([undefined, undefined])
      await subject.storage.audit.append([noted(1, 'a'), noted(2, 'ab'), noted(3, 'a')])
      await subject.storage.audit.append([noted(1_000, 'a')])
      const { audit } = (await subject.reopen()).storage
      expect([1, 2, 4].map(number => text(audit.get(number)))).toEqual(['of a', 'of ab', undefined])
      expect([audit.last()?.[0], text(audit.last()?.[1])]).toEqual([1_000, 'of a'])
      expect([...audit.from(2)].map(([number, each]) => `${number}:${text(each)}`)).toEqual([
        '2:of ab',
        '3:of a',
        '1000:of a',
      ])
      expect([[...audit.trail('a')], [...audit.trail('a', 1_000)], [...audit.trail('none')]]).toEqual([
        [1_000, 3, 1],
        [3, 1],
        [],
      ])
    })

    test('[STO-94] entries that are removed from the audit are in no trail; the others keep their numbers', async () => {
      const subject = await open()
      await subject.storage.audit.append([noted(1, 'a'), noted(2, 'b'), noted(3, 'a')])
      await subject.storage.audit.remove([noted(1, 'a'), noted(2, 'b')])
      const { audit } = (await subject.reopen()).storage
      expect([...audit.from(0)].map(([number]) => number)).toEqual([3])
      expect([audit.get(1), [...audit.trail('a')], [...audit.trail('b')]]).toEqual([undefined, [3], []])
    })

    test('[STO-16] any course of commits, folds and reopenings leaves what a plain list would', async () => {
      const step = fc.oneof(
        fc.record({ do: fc.constant('append' as const), name: fc.constantFrom('a', 'b'), count: fc.nat(3) }),
        fc.record({
          do: fc.constant('fold' as const),
          name: fc.constantFrom('a', 'b'),
          part: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        fc.record({ do: fc.constant('reopen' as const), name: fc.constant('') }),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
          let subject = await open()
          const lists = { a: [0, 0], b: [0, 0] } as Record<string, [number, number]>
          for (const each of steps) {
            const list = lists[each.name] ?? [0, 0]
            if (each.do === 'append') list[1] = await append(subject.storage, each.name, each.count)
            if (each.do === 'reopen') subject = await subject.reopen()
            if (each.do === 'fold' && list[1] > 0) {
              list[0] = Math.max(1, list[0] + Math.floor(each.part * (list[1] - list[0])))
              await subject.storage.fold(each.name, 0, { upTo: list[0], chunks: [bytes(`${list[0]}`)] }, 0)
            }
          }
          for (const [name, [upTo, seq]] of Object.entries(lists)) await expectState(subject.storage, name, upTo, seq)
          await subject.storage.close()
        }),
        { numRuns: 25 },
      )
    })
  })
}

async function expectState(storage: Storage, name: string, upTo: number, seq: number): Promise<void> {
  const { head, snapshot } = await storage.load(name)
  expect(head.seq).toBe(seq)
  expect(snapshot?.chunks.map(text)).toEqual(upTo > 0 ? [`${upTo}`] : undefined)
  const expected = Array.from({ length: seq - upTo }, (_, index) => `${upTo + index + 1}:r${upTo + index + 1}`)
  expect(await logged(storage, name)).toEqual(expected)
}
