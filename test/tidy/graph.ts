import type { Source } from './source.ts'

type Graph = ReadonlyMap<string, Source>

export const graphOf = (sources: readonly Source[]): Graph => new Map(sources.map(source => [source.path, source]))

/** A circle of imports as the list of its files, or undefined when there is none. */
export function circle(graph: Graph): string[] | undefined {
  const done = new Set<string>()
  const trail: string[] = []
  const walk = (path: string): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return undefined
    trail.push(path)
    for (const next of graph.get(path)?.imports ?? []) {
      const found = walk(next)
      if (found) return found
    }
    trail.pop()
    done.add(path)
    return undefined
  }
  for (const path of graph.keys()) {
    const found = walk(path)
    if (found) return found
  }
  return undefined
}

/** All that can be reached from the entry points, themselves included. */
export function reachable(graph: Graph, entries: readonly string[]): Set<string> {
  const seen = new Set<string>()
  const walk = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const source = graph.get(path)
    for (const next of source ? [...source.imports, ...source.starts] : []) walk(next)
  }
  for (const entry of entries) walk(entry)
  return seen
}
