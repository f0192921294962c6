import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NOBODY } from '../../server/store/cells.ts'
import { LmdbCells } from '../../server/store/lmdb-cells.ts'
import { scratch, selfsame } from '../server/process/program.ts'
import { Serving } from '../server/process/serving.ts'
import { Caller } from '../server/support/caller.ts'

async function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const program = selfsame(args)
  const { code } = await program.ended
  return { code, output: program.output + program.errors }
}

const verify = (data: string, ...more: string[]) => run(['audit', 'verify', '--data', data, ...more])

async function work(server: Serving, times: number): Promise<void> {
  const bot = new Caller(server.url, await server.token('bot-1'))
  for (let i = 0; i < times; i++) await bot.observe('u', { field: 'need.issue', value: `issue ${i}` })
  const boss = new Caller(server.url, await server.token('boss', 'supervisor'))
  // It waits until all that was noted is on disk.
  expect((await boss.get('/v1/users/u/audit')).status).toBe(200)
}

async function stop(server: Serving): Promise<void> {
  server.program.signal('SIGTERM')
  await server.program.ended
}

async function change(data: string, act: (cells: LmdbCells) => Promise<void>): Promise<void> {
  const cells = LmdbCells.open(join(data, 'store'))
  await act(cells)
  await cells.close()
}

test('[AUD-14] `audit verify` checks the folder of a running server, of a killed one with its gap, and of a stopped one', async () => {
  const data = scratch()
  const first = await Serving.serve(data)
  await work(first, 3)
  expect(await verify(data)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Entries 1 to \d+ are as they were/),
  })
  first.program.signal('SIGKILL')
  await first.program.ended
  const second = await Serving.serve(data)
  await work(second, 1)
  await stop(second)
  const { code, output } = await verify(data)
  expect(code).toBe(0)
  expect(output).toMatch(/After entry \d+ the server ended without a stop/)
  expect(output).toMatch(/Entries 1 to \d+ are as they were written\.$/)
})

test('[AUD-15] `audit verify` names what was altered, dropped or cut off in the files, and an end cut off stays a gap', async () => {
  const data = scratch()
  const server = await Serving.serve(data)
  await work(server, 3)
  await stop(server)
  const printed = await run(['audit', 'head', '--data', data])
  const head = join(data, 'head.json')
  writeFileSync(head, printed.output)
  const records: [number, Uint8Array][] = []
  await change(data, async cells => {
    for (const [number, record] of cells.range('audit', NOBODY)) records.push([Number(number), Uint8Array.from(record)])
    const altered = Uint8Array.from(records[1]?.[1] ?? [])
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
    await cells.write([{ table: 'audit', owner: NOBODY, item: 2, value: altered }])
  })
  expect(await verify(data)).toEqual({ code: 1, output: 'Entry 2 is not what was written.' })
  await change(data, cells => cells.write([{ table: 'audit', owner: NOBODY, item: 2, value: undefined }]))
  expect(await verify(data)).toEqual({ code: 1, output: 'Entry 2 is missing.' })
  const last = records.length
  await change(data, cells =>
    cells.write([
      { table: 'audit', owner: NOBODY, item: 2, value: records[1]?.[1] },
      { table: 'audit', owner: NOBODY, item: last, value: undefined },
    ]),
  )
  expect((await verify(data)).output).toMatch(new RegExp(`^Entry ${last} and what came after it`))
  const again = await Serving.serve(data)
  await stop(again)
  expect(await verify(data, '--head', head)).toEqual({ code: 1, output: `Entry ${last} is missing.` })
  writeFileSync(head, readFileSync(head, 'utf8').replace(/"number":\d+/, '"number":1'))
  expect((await verify(data, '--head', head)).output).toMatch(/was not signed by this server/)
})
