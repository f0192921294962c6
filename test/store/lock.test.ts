import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Archive } from '../../server/store/archive.ts'
import { LmdbStorage } from '../../server/store/lmdb.ts'
import { DirectoryLock } from '../../server/store/lock.ts'
import { Build } from './child/process.ts'
import { scratch } from './scratch.ts'

let build: Build
beforeAll(() => {
  build = new Build()
})
afterAll(() => build.remove())

test('[STO-72] a second process on the same data is refused and told which directory and process', async () => {
  const directory = scratch()
  const first = build.run(['hold', directory])
  await first.until('open')
  await expect(Archive.open(directory)).rejects.toThrow(new RegExp(`${directory}.*process ${first.pid}\\b`))
  const second = build.run(['hold', directory])
  expect((await second.ended).code).toBe(1)
  expect(second.errors).toContain(`process ${first.pid}`)
  first.finish()
  await first.until('closed')
  await first.ended
  await (await Archive.open(directory)).close()
})

test('[STO-73] within one process too, and the refusal leaves the first as it was', async () => {
  const directory = scratch()
  const storage = LmdbStorage.open(directory)
  expect(() => LmdbStorage.open(directory)).toThrow(/in use by process/)
  await storage.putSetting('s', Uint8Array.of(1))
  await storage.close()
  const again = LmdbStorage.open(directory)
  expect([...(again.setting('s') ?? [])]).toEqual([1])
  await again.close()
})

test('[STO-74] the lock of a killed process is taken over, by one of many that start at once', async () => {
  const directory = scratch()
  const first = build.run(['hold', directory])
  await first.until('open')
  first.kill()
  await first.ended
  const rivals = Array.from({ length: 6 }, () => build.run(['hold', directory]))
  const opened = await Promise.all(
    rivals.map(rival =>
      rival.until('open').then(
        () => true,
        () => false,
      ),
    ),
  )
  expect(opened.filter(Boolean)).toHaveLength(1)
  for (const rival of rivals) rival.finish()
  await Promise.all(rivals.map(rival => rival.ended))
  await (await Archive.open(directory)).close()
})

test('[STO-75] a lock whose number has gone to another process by now is taken over', () => {
  const directory = scratch()
  DirectoryLock.take(directory)
  const path = join(directory, 'lock.1')
  const holder: { pid: number; started: string } = JSON.parse(readFileSync(path, 'utf8'))
  expect(() => DirectoryLock.take(directory)).toThrow(/in use/)
  writeFileSync(path, JSON.stringify({ ...holder, started: `${holder.started}0` }))
  DirectoryLock.take(directory).release()
  expect(readdirSync(directory)).toEqual(['lock.2'])
})
