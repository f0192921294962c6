import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Agent } from './agent.ts'
import { missing, sourcesOf, twice } from './exported.ts'
import { ROOT, scratch } from './program.ts'
import { Serving } from './serving.ts'

const USERS = ['u_1', 'u_2']

/** The disk that fails when told, from the tests of the store. */
function failingDisk(directory: string, fault: string): { trigger: string; environment: Record<string, string> } {
  const compiler = ['cc', 'gcc', 'clang'].find(name => spawnSync(name, ['--version']).status === 0)
  if (process.platform !== 'linux' || !compiler)
    throw new Error('The disk faults need Linux and a C compiler. Install one: apt-get install gcc libc6-dev')
  const library = join(directory, 'shim.so')
  const source = join(ROOT, 'test/store/child/shim.c')
  execFileSync(compiler, ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  const trigger = join(directory, 'now')
  const environment = { LD_PRELOAD: library, SHIM_TRIGGER: trigger, SHIM_FAULT: fault, SHIM_PATH: '/store/' }
  return { trigger, environment }
}

test.each(['sync', 'full'])(
  '[PROC-8] when the disk fails (%s) the server ends loudly, and after a restart its agents settle all that was under way',
  async fault => {
    const [data, directory] = [scratch(), scratch()]
    const { trigger, environment } = failingDisk(directory, fault)
    const before = await Serving.serve(data, 0, { environment })
    const agents = await Promise.all(
      ['ann', 'ben'].map(name => Agent.start(before, { agent: name, name, users: USERS })),
    )
    await Promise.all(agents.map(agent => agent.acknowledges(50)))
    writeFileSync(trigger, '')
    const { code } = await before.program.ended
    expect(code).toBe(70)
    expect(before.program.errors).toMatch(/The store has failed: .+\nNothing was acknowledged that it does not hold/)
    const known = agents.flatMap(agent => agent.known)

    const after = await Serving.serve(data, before.port)
    expect(missing(known, await sourcesOf(after, USERS))).toEqual([])
    await Promise.all(agents.map(agent => agent.acknowledges(agent.acknowledged.length + 1)))
    await Promise.all(agents.map(agent => agent.finish()))
    const sources = await sourcesOf(after, USERS)
    expect(agents.flatMap(agent => agent.failures)).toEqual([])
    expect(sources.length).toBe(agents.flatMap(agent => agent.acknowledged).length)
    expect(twice(sources)).toEqual([])
  },
)
