import type { Serving } from './serving.ts'

interface Piece {
  readonly source?: string
}

/** The sources of all evidence of some users, each as often as it is there. */
export async function sourcesOf(server: Serving, users: readonly string[]): Promise<string[]> {
  const headers = { authorization: `Bearer ${await server.token('auditor', 'supervisor')}` }
  const exported = await Promise.all(
    users.map(async user => {
      const response = await fetch(`${server.url}/v1/users/${user}/export`, { headers })
      if (response.status !== 200) throw new Error(await response.text())
      const { evidence }: { evidence: readonly Piece[] } = JSON.parse(await response.text())
      return evidence.map(({ source }) => source ?? '')
    }),
  )
  return exported.flat()
}

export const missing = (wanted: readonly string[], found: readonly string[]): string[] => {
  const all = new Set(found)
  return wanted.filter(one => !all.has(one))
}

export const twice = (found: readonly string[]): string[] => found.filter((one, i) => found.indexOf(one) !== i)
