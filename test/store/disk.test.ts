import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Archive } from '../../server/store/archive.ts'
import { Build } from './child/process.ts'
import { expectKept } from './kept.ts'
import { scratch } from './scratch.ts'

const EXIT_FAILED = 70

/** What the disk does from some moment on, to which of the two stores, and the deadline that the worker is given. */
const FAULTS = [
  { fault: 'sync', part: '/store/', deadline: 10_000, told: /failed/ },
  { fault: 'once', part: '/store/', deadline: 10_000, told: /failed/ },
  { fault: 'meta', part: '/store/', deadline: 10_000, told: /failed/ },
  { fault: 'full', part: '/store/', deadline: 10_000, told: /failed/ },
  { fault: 'slow', part: '/store/', deadline: 300, told: /not on disk within 300 ms/ },
  { fault: 'sync', part: '/keys/', deadline: 10_000, told: /failed/ },
  { fault: 'full', part: '/keys/', deadline: 10_000, told: /failed/ },
]

let build: Build
let shim: string
beforeAll(() => {
  build = new Build()
  shim = compileShim(build.directory)
})
afterAll(() => build.remove())

function compileShim(directory: string): string {
  const compiler = ['cc', 'gcc', 'clang'].find(name => spawnSync(name, ['--version']).status === 0)
  if (process.platform !== 'linux' || !compiler)
    throw new Error('The disk faults need Linux and a C compiler. Install one: apt-get install gcc libc6-dev')
  const target = join(directory, 'shim.so')
  const source = resolve(import.meta.dirname, 'child/shim.c')
  execFileSync(compiler, ['-shared', '-fPIC', '-O1', '-o', target, source, '-ldl'])
  return target
}

describe.each(FAULTS)('a disk with the fault $fault in $part', ({ fault, part, deadline, told }) => {
  test('[STO-71] ends the store: nothing more is acknowledged or read, and after restart all that was is there', async () => {
    const directory = scratch()
    const trigger = join(scratch(), 'now')
    const worker = build.run(['write', directory, 'r', `${deadline}`], {
      LD_PRELOAD: shim,
      SHIM_TRIGGER: trigger,
      SHIM_FAULT: fault,
      SHIM_PATH: part,
      SHIM_SECONDS: '2',
    })
    await worker.until('ack', 200)
    writeFileSync(trigger, '')
    expect(await worker.ended, worker.errors).toEqual({ code: EXIT_FAILED, signal: null })
    const [failed, ...after] = worker.lines.slice(worker.lines.findIndex(line => line.startsWith('failed')))
    expect(failed).toMatch(told)
    expect(after).toEqual(['silent'])
    const archive = await Archive.open(directory)
    await expectKept(archive, worker.acknowledged, fault)
    await archive.close()
  })
})
