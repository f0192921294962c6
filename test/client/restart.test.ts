import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { fileOutbox } from '../../client/node.ts'
import { deskAt, scripted } from './desk-at.ts'
import type { Asked, ScriptedServer } from './scripted-server.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const BUILT = join(ROOT, 'node_modules/.cache/selfsame-client')

/** Another process can't load TypeScript: it gets the client as it is built. */
beforeAll(() => {
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'test/client/tsconfig.child.json'],
    {
      cwd: ROOT,
    },
  )
  mkdirSync(BUILT, { recursive: true })
  writeFileSync(join(BUILT, 'package.json'), '{"type":"module"}')
})

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'selfsame-restart-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'agent.outbox')
}

function child(server: ScriptedServer, path: string, values: readonly string[]): ChildProcess {
  const script = join(import.meta.dirname, 'writing-child.mjs')
  const started = spawn(process.execPath, [script, BUILT, server.url, path, ...values], { stdio: 'inherit' })
  onTestFinished(() => void started.kill('SIGKILL'))
  return started
}

const saying = (asked: Asked) => asked.observations?.map(({ id, at, field }) => ({ id, at, field }))

test('[SDK-36] writes of a process killed between sending and answer are sent by the next, as they were', async () => {
  const server = await scripted()
  const path = scratch()
  const killed = child(server, path, ['a', 'b', 'c'])
  const first = await server.greeted()
  const sent = [await first.asked(), await first.asked(), await first.asked()]
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const { peer } = await deskAt(server, { outbox: fileOutbox(path) })
  const again = [await peer.asked(), await peer.asked(), await peer.asked()]
  expect(again.map(saying)).toEqual(sent.map(saying))
  for (const asked of again) peer.admit(asked)
})

test('[SDK-36] a process that was killed again and again delivers everything in the end, and nothing twice', async () => {
  const server = await scripted()
  const path = scratch()
  const ledger = new Map<string, string>()
  const settle = (asked: Asked) => {
    for (const said of asked.observations ?? []) ledger.set(said.id, String(Reflect.get(said, 'value')))
  }
  for (const round of ['1', '2', '3']) {
    const killed = child(server, path, [`x${round}`, `y${round}`])
    const peer = await server.greeted()
    const newest = `y${round}`
    let answered = 0
    for (let asked = await peer.asked(); ; asked = await peer.asked()) {
      settle(asked)
      // The first is answered, so that its removal and the kill race; the rest is not.
      if (answered++ === 0) peer.admit(asked)
      if (JSON.stringify(asked).includes(newest)) break
    }
    killed.kill('SIGKILL')
    await once(killed, 'exit')
  }
  const last = child(server, path, ['z'])
  const peer = await server.greeted()
  const done = once(last, 'exit')
  for (let asked = await peer.asked(); ; asked = await peer.asked()) {
    settle(asked)
    peer.admit(asked)
    if (JSON.stringify(asked).includes('"z"')) break
  }
  expect(await done).toEqual([0, null])
  expect([...ledger.values()].sort()).toEqual(['x1', 'x2', 'x3', 'y1', 'y2', 'y3', 'z'])
  const left = fileOutbox(path)
  expect(await left.load()).toEqual([])
  await left.close()
})
