import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory of the running test's own, gone after it. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'selfsame-store-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
