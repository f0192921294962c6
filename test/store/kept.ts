import { expect } from 'vitest'
import type { Archive } from '../../server/store/archive.ts'
import type { Worker } from './child/process.ts'
import { ADMITTED, admitting, claims } from './sample.ts'

/**
 * Everything that workers were acknowledged is there with its outcome, nothing is there twice, by half or damaged, and
 * resending changes nothing.
 */
export async function expectKept(archive: Archive, acknowledged: Worker['acknowledged'], seed: string): Promise<void> {
  for (const user of new Set(acknowledged.map(said => said.user))) {
    const { evidence, damaged } = await archive.load(user)
    expect(damaged, seed).toEqual([])
    const stored = new Set(evidence.map(({ id }) => id))
    expect(stored.size, seed).toBe(evidence.length)
    expect(stored.size, seed).toBe(2 * [...stored].filter(id => id.endsWith('-a')).length)
    const ids = acknowledged.filter(said => said.user === user).map(({ id }) => id)
    expect(
      ids.filter(id => !stored.has(id)),
      seed,
    ).toEqual([])
    expect(await archive.commit(user, claims(ids), admitting(ids)), seed).toEqual(ids.map(() => ADMITTED))
    expect((await archive.load(user)).evidence, seed).toHaveLength(stored.size)
  }
}
