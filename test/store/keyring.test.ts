import { randomBytes } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NOBODY } from '../../server/store/cells.ts'
import { StorageDamage } from '../../server/store/damage.ts'
import { Keyring } from '../../server/store/keyring.ts'
import { LmdbCells } from '../../server/store/lmdb-cells.ts'
import { GivenMasterKey } from '../../server/store/master-key.ts'
import { MemoryDisk } from '../../server/store/memory-cells.ts'
import { KEY_BYTES } from '../../server/store/seal.ts'
import { scratch } from './scratch.ts'

interface Subject {
  readonly keyring: Keyring
  reopen(): Promise<Subject>
}

function inMemory(disk: MemoryDisk): Subject {
  const keyring = Keyring.inMemory(disk)
  return { keyring, reopen: () => keyring.close().then(() => inMemory(disk)) }
}

async function inLmdb(directory: string): Promise<Subject> {
  const keyring = await Keyring.open(directory)
  return { keyring, reopen: () => keyring.close().then(() => inLmdb(directory)) }
}

const kinds: [string, () => Promise<Subject>][] = [
  ['in memory', async () => inMemory(new MemoryDisk())],
  ['in LMDB', () => inLmdb(scratch())],
]

describe.each(kinds)('keyring %s', (_, open) => {
  test('[STO-40] a user has no key until one is minted, and then the same one for good', async () => {
    const subject = await open()
    expect(subject.keyring.keyOf('u')).toBeUndefined()
    const minted = await Promise.all(['u', 'u', 'v', 'u'].map(user => subject.keyring.mint(user)))
    expect(new Set(minted.map(({ name }) => name)).size).toBe(2)
    expect(new Set(minted.map(({ key }) => Buffer.from(key).toString('hex'))).size).toBe(2)
    const { keyring } = await subject.reopen()
    expect(keyring.keyOf('u')).toEqual(minted[0])
    expect(await keyring.mint('v')).toEqual(minted[2])
    expect([...keyring.roll().users].sort()).toEqual(['u', 'v'])
  })

  test('[STO-41] a destroyed key is gone for good; the user’s next one is another, and others keep theirs', async () => {
    const subject = await open()
    const [old, other] = [await subject.keyring.mint('u'), await subject.keyring.mint('v')]
    const [destroyed, again, fresh] = await Promise.all([
      subject.keyring.destroy('u'),
      subject.keyring.destroy('u'),
      subject.keyring.mint('w'),
    ])
    expect([destroyed, again]).toEqual([true, false])
    expect(subject.keyring.keyOf('u')).toBeUndefined()
    const { keyring } = await subject.reopen()
    expect(keyring.keyOf('u')).toBeUndefined()
    expect((await keyring.mint('u')).name).not.toBe(old.name)
    expect(keyring.keyOf('v')).toEqual(other)
    expect(keyring.keyOf('w')).toEqual(fresh)
  })
})

const files = (directory: string): Buffer[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name)))

async function wrapped(directory: string): Promise<Buffer[]> {
  const cells = LmdbCells.open(join(directory, 'keys'))
  const values = [...cells.range('key', NOBODY)].map(([, value]) => Buffer.from(value))
  await cells.close()
  return values
}

test('[STO-42] no user id, key or name is in plain sight in the files', async () => {
  const directory = scratch()
  const keyring = await Keyring.open(directory)
  const { key, name } = await keyring.mint('user-canary')
  await keyring.close()
  const secrets = ['user-canary', name, Buffer.from(name, 'hex'), Buffer.from(key), Buffer.from(key).toString('base64')]
  for (const secret of secrets) expect(files(directory).some(file => file.includes(secret))).toBe(false)
})

test('[STO-43] the bytes of a destroyed key are in no file any more', async () => {
  const directory = scratch()
  const users = Array.from({ length: 200 }, (_, index) => `u${index}`)
  let keyring = await Keyring.open(directory)
  for (const user of users) await keyring.mint(user)
  await keyring.close()
  const before = await wrapped(directory)
  const holds = (bytes: Buffer) => files(directory).some(file => file.includes(bytes))
  expect(before.filter(holds)).toHaveLength(200)
  keyring = await Keyring.open(directory)
  for (const user of users.slice(0, 20)) await keyring.destroy(user)
  const kept = before.filter(holds)
  expect(kept).toHaveLength(180)
  expect([...keyring.roll().users].sort()).toEqual(users.slice(20).sort())
  await keyring.close()
  expect((await wrapped(directory)).filter(bytes => kept.some(other => other.equals(bytes)))).toHaveLength(180)
})

test('[STO-44] the master key is made once, for its owner only', async () => {
  const directory = scratch()
  await (await Keyring.open(directory)).close()
  const path = join(directory, 'master.key')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const made = readFileSync(path)
  expect(made).toHaveLength(KEY_BYTES)
  await (await Keyring.open(directory)).close()
  expect(readFileSync(path)).toEqual(made)
  chmodSync(path, 0o644)
  await expect(Keyring.open(directory)).rejects.toThrow(/chmod 600/)
  chmodSync(path, 0o600)
  writeFileSync(path, made.subarray(1))
  await expect(Keyring.open(directory)).rejects.toThrow(/31 bytes/)
})

test('[STO-45] another master key is refused, and the right one still opens', async () => {
  const directory = scratch()
  const keyring = await Keyring.open(directory)
  const minted = await keyring.mint('u')
  await keyring.close()
  await expect(Keyring.open(directory, { master: new GivenMasterKey(randomBytes(KEY_BYTES)) })).rejects.toThrow(
    /master key/,
  )
  expect((await Keyring.open(directory)).keyOf('u')).toEqual(minted)
})

test('[STO-46] a damaged key is reported, and never replaced by a new one', async () => {
  const disk = new MemoryDisk()
  const keyring = Keyring.inMemory(disk)
  await keyring.mint('u')
  await keyring.mint('v')
  const item = keyring.digest('user', 'u')
  const value = Buffer.from(disk.cells('key', NOBODY).get(item) ?? [])
  value[40] = (value[40] ?? 0) ^ 1
  disk.apply([{ table: 'key', owner: NOBODY, item, value }])
  expect(() => keyring.keyOf('u')).toThrow(StorageDamage)
  await expect(keyring.mint('u')).rejects.toThrow(StorageDamage)
  expect(keyring.roll()).toEqual({ users: ['v'], damaged: [item] })
})
