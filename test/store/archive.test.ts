import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Evidence } from '../../model/evidence.ts'
import { Archive } from '../../server/store/archive.ts'
import type { Table } from '../../server/store/cells.ts'
import { StorageDamage } from '../../server/store/damage.ts'
import { MAX_CHUNK_BYTES } from '../../server/store/evidence-record.ts'
import { Keyring } from '../../server/store/keyring.ts'
import { MemoryStorage } from '../../server/store/memory.ts'
import { MemoryDisk } from '../../server/store/memory-cells.ts'
import type { Outcome } from '../../server/store/outcome.ts'
import { admitting, claims, word } from './sample.ts'
import { scratch } from './scratch.ts'

function inMemory(): { archive: Archive; disk: MemoryDisk; keyring: Keyring } {
  const disk = new MemoryDisk()
  const keyring = Keyring.inMemory()
  return { archive: new Archive(new MemoryStorage({ disk }), keyring), disk, keyring }
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `w${index + 1}`)
const idsOf = (evidence: readonly Evidence[]): string[] => evidence.map(({ id }) => id)

/** A user with so many words, and a way to break what is stored of it. */
async function withWords(count: number) {
  const { archive, disk, keyring } = inMemory()
  await archive.commit('u', claims(ids(count)), admitting(ids(count)))
  const owner = keyring.keyOf('u')?.name ?? ''
  const alter = (table: Table, item: string | number, change: (value: Buffer) => Uint8Array | undefined) => {
    const value = disk.cells(table, owner).get(item)
    if (!value) throw new Error(`There is no ${table} ${item}.`)
    disk.apply([{ table, owner, item, value: change(Buffer.from(value)) }])
  }
  return { archive, disk, owner, alter }
}

function flip(value: Buffer): Buffer {
  value[value.length - 1] = (value.at(-1) ?? 0) ^ 4
  return value
}

test('[STO-50] reading an unknown user gives the empty state and makes no key', async () => {
  const { archive, keyring } = inMemory()
  const empty = {
    head: { epoch: 0, seq: 0 },
    evidence: [],
    seqs: [],
    layout: undefined,
    damaged: [],
    notes: new Map(),
    unfolded: 0,
  }
  expect(await archive.load('u')).toEqual(empty)
  expect(await archive.fold('u', 0, 1, [], 0)).toBe(false)
  expect(keyring.keyOf('u')).toBeUndefined()
  expect(archive.users()).toEqual({ users: [], damaged: [] })
})

test('[STO-51] evidence, outcomes, notes, tallies and settings come back as they went in', async () => {
  const directory = scratch()
  let archive = await Archive.open(directory)
  const refused: Outcome = { status: 'refused', error: { code: 'bad_value', message: 'Not “é”.', details: [] } }
  const said = [word('w1', 1, 'ü'), word('w1/1', 1), word('far', 977)]
  await archive.commit('u', claims(['w1', 'no']), ({ seq }) => ({
    evidence: said,
    outcomes: [
      { agent: 'a', id: 'w1', outcome: { status: 'echo' }, time: 1 },
      { agent: 'a', id: 'no', outcome: refused, time: 1 },
    ],
    tallies: [{ agent: 'a', claimed: 2, delivered: 1 }],
    result: seq,
  }))
  await archive.note('u', 'served', { fields: ['x'] })
  await archive.putSetting('revoked', ['t1'])
  await archive.close()
  archive = await Archive.open(directory)
  const loaded = await archive.load('u')
  expect(loaded).toMatchObject({ head: { epoch: 0, seq: 3 }, evidence: said, damaged: [], unfolded: 3 })
  expect(loaded.notes).toEqual(new Map([['served', { fields: ['x'] }]]))
  expect(archive.tally('a')).toEqual({ claimed: 2, delivered: 1 })
  expect(archive.setting('revoked')).toEqual(['t1'])
  expect(archive.setting('other')).toBeUndefined()
  expect(archive.users().users).toEqual(['u'])
  const asked = [...claims(['no', 'new', 'w1']), { agent: 'b', id: 'w1' }]
  const known = await archive.commit('u', asked, (_, outcomes) => ({
    evidence: [],
    outcomes: [],
    tallies: [],
    result: outcomes,
  }))
  expect(known).toEqual([refused, undefined, { status: 'echo' }, undefined])
  await archive.close()
})

test('[STO-52] nothing of what was said, by whom or of whom, is in plain sight in the files', async () => {
  const directory = scratch()
  const archive = await Archive.open(directory)
  await archive.commit('canary-user', [{ agent: 'canary-agent', id: 'canary-id' }], () => ({
    evidence: [{ ...word('canary-word', 1, 'canary-value'), field: 'canary.field' }],
    outcomes: [{ agent: 'canary-agent', id: 'canary-id', outcome: { status: 'admitted' }, time: 1 }],
    tallies: [{ agent: 'canary-agent', claimed: 1, delivered: 1 }],
    result: undefined,
  }))
  await archive.note('canary-user', 'served', 'canary-note')
  await archive.putSetting('revoked', 'canary-setting')
  await archive.fold('canary-user', 0, 1, [word('canary-folded', 1)], 0)
  await archive.close()
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  expect(files.length).toBeGreaterThan(4)
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name)).includes('canary')).toBe(false)
})

test('[STO-53] a fold keeps its evidence in chunks of at most 64 KB, and later words after it', async () => {
  const { archive, disk, owner } = await withWords(3_000)
  const { head, evidence } = await archive.load('u')
  await archive.fold('u', head.epoch, head.seq, evidence, 0)
  await archive.commit('u', [], admitting(['late']))
  const chunks = [...disk.cells('chunk', owner).values()]
  expect(chunks.length).toBeGreaterThan(5)
  for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(MAX_CHUNK_BYTES + 29)
  const loaded = await archive.load('u')
  expect(idsOf(loaded.evidence)).toEqual([...ids(3_000), 'late'])
  expect(loaded).toMatchObject({ damaged: [], unfolded: 1, head: { seq: 3_001 } })
})

test('[STO-54] a fold that leaves nothing, or a piece larger than a chunk, comes back as well', async () => {
  const { archive } = await withWords(4)
  await archive.fold('u', 0, 2, [], 0)
  expect(idsOf((await archive.load('u')).evidence)).toEqual(['w3', 'w4'])
  const large = word('large', 1, 'x'.repeat(2 * MAX_CHUNK_BYTES))
  await archive.fold('u', 0, 4, [word('w0', 1), large, word('w9', 2)], 0)
  expect(idsOf((await archive.load('u')).evidence)).toEqual(['w0', 'large', 'w9'])
})

describe('damage', () => {
  test('[STO-55] a flipped, cut or missing log record is reported and the rest is served', async () => {
    const { archive, alter } = await withWords(6)
    alter('log', 2, flip)
    alter('log', 4, value => value.subarray(0, 20))
    alter('log', 6, () => undefined)
    const { evidence, damaged, head } = await archive.load('u')
    expect(idsOf(evidence)).toEqual(['w1', 'w3', 'w5'])
    expect(head.seq).toBe(6)
    expect(damaged).toEqual([
      { seq: 2, reason: 'unreadable' },
      { seq: 4, reason: 'unreadable' },
      { seq: 6, reason: 'missing' },
    ])
    await archive.commit('u', [], admitting(['next']))
    expect(idsOf((await archive.load('u')).evidence)).toEqual(['w1', 'w3', 'w5', 'next'])
  })

  test('[STO-56] so is a damaged chunk or note', async () => {
    const { archive, alter } = await withWords(1_000)
    await archive.note('u', 'one', 1)
    await archive.note('u', 'two', 2)
    await archive.fold('u', 0, 1_000, (await archive.load('u')).evidence, 0)
    alter('chunk', 0, flip)
    alter('chunk', 2, () => undefined)
    alter('note', 'one', flip)
    const { evidence, damaged, notes } = await archive.load('u')
    expect(damaged).toEqual([
      { chunk: 0, reason: 'unreadable' },
      { chunk: 2, reason: 'missing' },
      { note: 'one', reason: 'unreadable' },
    ])
    expect(evidence.length).toBeGreaterThan(100)
    expect(evidence.length).toBeLessThan(900)
    expect(notes).toEqual(new Map([['two', 2]]))
  })

  test('[STO-57] records that changed places are reported', async () => {
    const { archive, disk, owner, alter } = await withWords(3)
    const other = disk.cells('log', owner).get(3)
    alter('log', 1, () => other)
    expect((await archive.load('u')).damaged).toEqual([{ seq: 1, reason: 'unreadable' }])
  })

  test('[STO-58] one copy of a head may be damaged or missing; without both the user is refused', async () => {
    const { archive, disk, owner } = await withWords(3)
    const spoil = (table: Table) => disk.apply([{ table, owner: '', item: owner, value: new Uint8Array(36) }])
    spoil('head')
    expect((await archive.load('u')).head.seq).toBe(3)
    disk.apply([{ table: 'head', owner: '', item: owner, value: undefined }])
    await archive.commit('u', [], admitting(['w4']))
    spoil('twin')
    expect((await archive.load('u')).head.seq).toBe(4)
    spoil('head')
    await expect(archive.load('u')).rejects.toThrow(StorageDamage)
    await expect(archive.commit('u', [], admitting(['w5']))).rejects.toThrow(StorageDamage)
    expect(await archive.commit('v', [], admitting(['w1']))).toHaveLength(1)
  })

  test('[STO-59] an id whose outcome is damaged is not taken for a new one', async () => {
    const { archive, disk, owner } = await withWords(2)
    const [key, value] = [...disk.cells('ledger', owner)][0] ?? ['', new Uint8Array()]
    disk.apply([{ table: 'ledger', owner, item: key, value: flip(Buffer.from(value)) }])
    const commits = await Promise.allSettled(ids(2).map(id => archive.commit('u', claims([id]), admitting([id]))))
    expect(commits.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await archive.load('u')).evidence).toHaveLength(2)
  })

  test('[STO-60] a damaged setting or tally is told, not taken for none', async () => {
    const { archive, disk } = await withWords(1)
    await archive.putSetting('revoked', ['t1'])
    for (const table of ['setting', 'tally'] as const)
      for (const [item, value] of disk.cells(table, ''))
        disk.apply([{ table, owner: '', item, value: flip(Buffer.from(value)) }])
    expect(() => archive.setting('revoked')).toThrow(StorageDamage)
    expect(() => archive.tally('a')).toThrow(StorageDamage)
  })
})

test('[STO-92] papers are sealed under their user’s key: once it is destroyed nothing of them is found, by id or as open', async () => {
  const { archive, disk, keyring } = inMemory()
  const papers = { written: new Map([['handoff:1', { intent: 'canary' }]]), filed: ['handoff:1'], isOpen: true }
  await archive.commit('u', [], () => ({ evidence: [], outcomes: [], tallies: [], papers, result: undefined }))
  expect([archive.paper('u', 'handoff:1'), archive.whose('handoff:1')]).toEqual([{ intent: 'canary' }, 'u'])
  expect([[...archive.open()], [...archive.papers('u', 'handoff:')]]).toEqual([
    ['u'],
    [['handoff:1', { intent: 'canary' }]],
  ])
  const owner = keyring.keyOf('u')?.name ?? ''
  expect(Buffer.from(disk.cells('paper', owner).get('handoff:1') ?? []).toString('latin1')).not.toContain('canary')
  const before = await archive.mac('u')
  await keyring.destroy('u')
  expect([archive.paper('u', 'handoff:1'), archive.whose('handoff:1'), [...archive.open()]]).toEqual([
    undefined,
    undefined,
    [],
  ])
  expect((await archive.mac('u'))('x')).not.toBe(before('x'))
})
