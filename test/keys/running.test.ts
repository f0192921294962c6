import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratch, selfsame } from '../server/process/program.ts'
import { Serving } from '../server/process/serving.ts'
import { Caller, refusalOf } from '../server/support/caller.ts'

const bossAt = async (server: Serving): Promise<Caller> =>
  new Caller(server.url, await server.token('boss', 'supervisor'))

async function stop(server: Serving, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  server.program.signal(signal)
  await server.program.ended
}

test('[KEY-3] the master key is replaced while a server serves, and survives kill -9', async () => {
  const data = scratch()
  const server = await Serving.serve(data)
  const boss = await bossAt(server)
  await boss.observe('u', { field: 'need.issue', value: 'before' })
  const old = readFileSync(join(data, 'master.key'))
  const rotating = selfsame(['keys', 'rotate', '--data', data])
  for (let i = 0; i < 10; i++) await boss.observe(`during-${i}`, { field: 'need.issue', value: 'during' })
  expect(await rotating.ended).toMatchObject({ code: 0 })
  expect(readFileSync(join(data, 'master.key')).equals(old)).toBe(false)
  await boss.observe('w', { field: 'need.issue', value: 'after' })
  await stop(server, 'SIGKILL')
  const again = await bossAt(await Serving.serve(data))
  const values = await Promise.all(['u', 'during-9', 'w'].map(user => again.belief(user, 'need.issue')))
  expect(values.map(({ value }) => value)).toEqual(['before', 'during', 'after'])
})

test('[KEY-4] the master key comes from the environment or a command, is replaced there, and two ways at once are refused', async () => {
  const data = scratch()
  const [first, second] = ['11'.repeat(32), '22'.repeat(32)]
  const environment = { SELFSAME_MASTER_KEY_VALUE: first }
  const server = await Serving.serve(data, 0, { environment })
  await (await bossAt(server)).observe('u', { field: 'need.issue', value: 'kept' })
  await stop(server)
  const rotating = selfsame(['keys', 'rotate', '--data', data], {
    environment: { ...environment, SELFSAME_NEW_MASTER_KEY_VALUE: second },
  })
  expect(await rotating.ended).toMatchObject({ code: 0 })
  const old = selfsame(['serve', '--port', '0', '--data', data], { environment })
  expect(await old.ended).toMatchObject({ code: 1 })
  expect(old.errors).toMatch(/master key is not the one/)
  const file = join(data, 'key.txt')
  writeFileSync(file, second)
  const byCommand = { environment: { SELFSAME_MASTER_KEY_COMMAND: `cat ${file}` } }
  const again = await Serving.serve(data, 0, byCommand)
  expect((await (await bossAt(again)).belief('u', 'need.issue')).value).toBe('kept')
  await stop(again)
  const both = selfsame(['serve', '--data', data, '--master-key', file], byCommand)
  expect(await both.ended).toMatchObject({ code: 1 })
  expect(both.errors).toMatch(/one way only/)
})

test('[KEY-5] a copy made while writers write is whole, starts a new epoch, and who was erased since stays erased', async () => {
  const data = scratch()
  const server = await Serving.serve(data)
  const boss = await bossAt(server)
  const { version } = await boss.observe('u', { field: 'need.issue', value: 'kept' })
  await boss.observe('gone', { field: 'need.issue', value: 'erased later' })
  let isWriting = true
  const writing = (async () => {
    for (let i = 0; isWriting; i++) await boss.observe(`w-${i}`, { field: 'need.issue', value: 'x' })
  })()
  const copy = join(scratch(), 'copy')
  const copying = selfsame(['backup', copy, '--data', data])
  expect(await copying.ended).toMatchObject({ code: 0 })
  isWriting = false
  await writing
  expect((await boss.call('DELETE', '/v1/users/gone')).status).toBe(200)
  await stop(server)
  for (const file of ['master.key', 'erased']) copyFileSync(join(data, file), join(copy, file))
  const restored = await Serving.serve(copy)
  const again = await bossAt(restored)
  expect((await again.belief('u', 'need.issue')).value).toBe('kept')
  expect((await again.belief('w-0', 'need.issue')).value).toBe('x')
  expect((await again.model('gone')).beliefs).toEqual({})
  expect(refusalOf(await again.get(`/v1/users/u/model?atLeast=${version}`))[1]).toBe('not_yet')
  await stop(restored)
  const verifying = selfsame(['audit', 'verify', '--data', copy])
  expect(await verifying.ended).toMatchObject({ code: 0 })
})

/** Looks without a breath, so that a moment of another process that is over in a millisecond is not missed. */
function lookUntil(isSo: () => boolean): void {
  const deadline = Date.now() + 10_000
  while (!isSo()) if (Date.now() > deadline) throw new Error('The rotation never came so far.')
}

test('[KEY-10] a server killed at any moment of a rotation starts again, reads everything and goes on', async () => {
  const data = scratch()
  const [file, next] = [join(data, 'master.key'), join(data, 'master.key.next')]
  const users = Array.from({ length: 60 }, (_, i) => `u${i}`)
  const isReplaced = (old: Buffer) => !readFileSync(file).equals(old)
  const moments: Readonly<Record<string, (old: Buffer) => void>> = {
    'as it is asked for': () => undefined,
    'the next key lies there': old => lookUntil(() => existsSync(next) || isReplaced(old)),
    'the next key is in force': old => lookUntil(() => isReplaced(old)),
    'keys are wrapped anew': old => {
      lookUntil(() => isReplaced(old))
      const since = performance.now()
      lookUntil(() => performance.now() > since + 2)
    },
  }
  let server = await Serving.serve(data)
  let boss = await bossAt(server)
  await Promise.all(users.map(user => boss.observe(user, { field: 'need.issue', value: `of ${user}` })))
  for (const [moment, reach] of Object.entries(moments)) {
    const old = readFileSync(file)
    server.program.signal('SIGUSR2')
    reach(old)
    await stop(server, 'SIGKILL')
    server = await Serving.serve(data)
    boss = await bossAt(server)
    const read = await Promise.all(users.map(user => boss.belief(user, 'need.issue')))
    expect(
      read.map(({ value }) => value),
      moment,
    ).toEqual(users.map(user => `of ${user}`))
    expect(existsSync(next), moment).toBe(false)
    await boss.observe(`after ${moment}`.replaceAll(' ', '-'), { field: 'need.issue', value: 'new' })
  }
})
