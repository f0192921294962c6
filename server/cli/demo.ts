import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from '../service.ts'
import { runBuilt } from './child.ts'

/** The parts of the demo, each with a token of its own. */
const CAST = { TRIAGE: 'triage', BILLING: 'billing', TECH: 'tech', PERSON: 'human' } as const

/** Serves a fresh store and lets the demo, which is a client like any other, loose on it. */
export async function demo(): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'selfsame-demo-'))
  const service = await start({ port: 0, data })
  try {
    const tokens = await Promise.all(
      Object.entries(CAST).map(async ([name, role]) => [`DEMO_${name}`, await service.token(name.toLowerCase(), role)]),
    )
    return await runBuilt('client/demo/main.js', [], { DEMO_URL: service.url, ...Object.fromEntries(tokens) })
  } finally {
    await service.close()
    rmSync(data, { recursive: true, force: true })
  }
}
