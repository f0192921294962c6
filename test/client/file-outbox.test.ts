import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Entry } from '../../client/index.ts'
import { fileOutbox } from '../../client/node.ts'

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'selfsame-outbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'agent.outbox')
}

const entry = (key: string, value = key): Entry => ({
  key,
  agent: 'ava',
  user: 'u_42',
  op: 'observe',
  observations: [{ id: `id-${key}`, field: 'need.issue', value, at: 5 }],
})

async function reload(path: string): Promise<readonly string[]> {
  const outbox = fileOutbox(path)
  const entries = await outbox.load()
  await outbox.close()
  return entries.map(({ key }) => key)
}

test('[SDK-34] a file keeps what was added and not removed, in order', async () => {
  const path = scratch()
  const outbox = fileOutbox(path)
  expect(await outbox.load()).toEqual([])
  await Promise.all(['a', 'b', 'c', 'd'].map(key => outbox.append(entry(key))))
  await outbox.remove('b')
  await outbox.close()
  const again = fileOutbox(path)
  expect(await again.load()).toEqual([entry('a'), entry('c'), entry('d')])
  await again.append(entry('e'))
  await again.close()
  expect(await reload(path)).toEqual(['a', 'c', 'd', 'e'])
})

test('[SDK-34] cut off anywhere, the file gives every whole entry', async () => {
  const path = scratch()
  const outbox = fileOutbox(path)
  await outbox.load()
  for (const key of ['a', 'b', 'c']) await outbox.append(entry(key, 'ünï'))
  await outbox.close()
  const whole = readFileSync(path)
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length))
    const lines = whole.subarray(0, length).toString().split('\n').length - 1
    expect(await reload(path)).toEqual(['a', 'b', 'c'].slice(0, lines))
  }
})

test('[SDK-34] what is added after a torn line is whole', async () => {
  const path = scratch()
  writeFileSync(path, `${JSON.stringify({ add: entry('a') })}\n{"add":{"key":"b`)
  const outbox = fileOutbox(path)
  await outbox.load()
  await outbox.append(entry('c'))
  await outbox.close()
  expect(await reload(path)).toEqual(['a', 'c'])
})

test('[SDK-34] damage before the last line is an error that names the line', async () => {
  const path = scratch()
  writeFileSync(path, `${JSON.stringify({ add: entry('a') })}\n{"add":\n${JSON.stringify({ add: entry('c') })}\n`)
  const outbox = fileOutbox(path)
  await expect(outbox.load()).rejects.toThrow('line 2')
  await outbox.close()
})

test('[SDK-35] what is done leaves the file, which stays small', async () => {
  const path = scratch()
  const outbox = fileOutbox(path)
  await outbox.load()
  await outbox.append(entry('first'))
  for (let i = 0; i < 2_500; i++) await Promise.all([outbox.append(entry(`k${i}`)), outbox.remove(`k${i}`)])
  await outbox.append(entry('last'))
  await outbox.close()
  expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(2_100)
  expect(await reload(path)).toEqual(['first', 'last'])
})

test('[SDK-35] only its owner may read it, and only one may use it at a time', async () => {
  const path = scratch()
  const outbox = fileOutbox(path)
  await outbox.load()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await expect(fileOutbox(path).load()).rejects.toThrow('in use')
  await outbox.close()
  writeFileSync(`${path}.lock`, String(process.ppid))
  await expect(fileOutbox(path).load()).rejects.toThrow(`in use by process ${process.ppid}`)
})

test('[SDK-35] the lock of a process that is gone is taken over', async () => {
  const path = scratch()
  for (const owner of [String(2 ** 22 + 1), String(process.pid), '']) {
    writeFileSync(`${path}.lock`, owner)
    expect(await reload(path)).toEqual([])
  }
})

test('[SDK-35] a file that can not be written says so', async () => {
  const outbox = fileOutbox('/nowhere/at/all')
  await expect(outbox.load()).rejects.toThrow('ENOENT')
  await expect(outbox.append(entry('a'))).rejects.toThrow('not open')
})
