import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CODES } from '../model/error.ts'
import { circle, graphOf, reachable } from './tidy/graph.ts'
import { code, ROOT, sources } from './tidy/source.ts'

const all = sources()
const graph = graphOf(all)
const houseOf = (path: string): string => path.split('/')[0] as string

const MAY_IMPORT: Record<string, readonly string[]> = {
  model: ['model'],
  server: ['server', 'model'],
  client: ['client', 'model'],
  bench: ['bench', 'server', 'client', 'model'],
  test: ['test', 'bench', 'server', 'client', 'model'],
}

test('[TIDY-1] model imports nothing of ours, server and client only themselves and model, nothing imports test or bench', () => {
  const broken = all.flatMap(({ path, imports }) =>
    imports.filter(name => !MAY_IMPORT[houseOf(path)]?.includes(houseOf(name))).map(name => `${path} → ${name}`),
  )
  expect(broken).toEqual([])
})

test('[TIDY-1] every import of ours names a file that is there', () => {
  const missing = all.flatMap(({ path, imports }) =>
    imports.filter(name => /\.tsx?$/.test(name) && !graph.has(name)).map(name => `${path} → ${name}`),
  )
  expect(missing).toEqual([])
})

test('[TIDY-2] no import goes round in a circle', () => {
  expect(circle(graph)).toBeUndefined()
})

/** Files that are started rather than imported, and the store in memory, which is there for tests. */
const STARTED: readonly string[] = [
  'client/demo/main.ts',
  'client/demo/desk/main.ts',
  'client/mcp/main.ts',
  'client/console/main.tsx',
  'bench/console/pictures.ts',
  'bench/handoff/writer.ts',
  'server/store/memory.ts',
]

interface Package {
  readonly exports: Record<string, string | { readonly default: string }>
  readonly bin: Record<string, string>
}

function entryPoints(): string[] {
  const { exports, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Package
  const built = [...Object.values(exports), ...Object.values(bin)].map(target =>
    typeof target === 'string' ? target : target.default,
  )
  const ours = built.filter(target => target.startsWith('./dist/')).map(target => target.slice('./dist/'.length))
  return [...ours.map(target => target.replace(/\.js$/, '.ts')), 'bench/main.ts', ...STARTED]
}

test('[TIDY-3] no file is dead: each is reached from an entry point', () => {
  const alive = reachable(graph, entryPoints())
  const dead = all.map(({ path }) => path).filter(path => houseOf(path) !== 'test' && !alive.has(path))
  expect(dead).toEqual([])
})

const MAX_LINES = 400

test('[TIDY-4] no file is over 400 lines, and none is named for collecting', () => {
  const long = all.filter(({ text }) => text.split('\n').length > MAX_LINES + 1).map(({ path }) => path)
  expect(long).toEqual([])
  const collecting = all
    .map(({ path }) => path)
    .filter(path => /(^|\/)(utils?|helpers?|common|types)(\.|\/)/.test(path))
  expect(collecting.filter(path => !path.endsWith('.test.ts'))).toEqual([])
})

const ID = /\b[A-Z]{2,}-[0-9]+\b/g

/** The ids in brackets at the beginning of names of tests and laws. */
function tested(): Set<string> {
  const names = all
    .filter(({ path }) => houseOf(path) === 'test')
    .flatMap(({ text }) => [...code(text).matchAll(/['"`]((?:\[[A-Z]{2,}-[0-9]+\] ?)+)/g)])
  return new Set(names.flatMap(match => match[1]?.match(ID) ?? []))
}

test('[TIDY-5] every id of SPEC.md is in a test’s name, and every id in a test’s name is in SPEC.md', () => {
  const spec = readFileSync(join(ROOT, 'test/SPEC.md'), 'utf8')
  const promised = [...spec.matchAll(/^- \*\*([A-Z]{2,}-[0-9]+)\*\* \S/gm)].map(match => match[1] as string)
  expect(promised.filter((id, i) => promised.indexOf(id) !== i)).toEqual([])
  const names = tested()
  expect({
    'promised and not tested': promised.filter(id => !names.has(id)),
    'tested and not promised': [...names].filter(id => !promised.includes(id)).sort(),
  }).toEqual({ 'promised and not tested': [], 'tested and not promised': [] })
})

test('[TIDY-6] model reads no clock, no randomness and nothing of the machine', () => {
  const model = all.filter(({ path }) => houseOf(path) === 'model')
  const impure =
    /Date\.now|new Date\(\)|Date\(\)|Math\.random|performance\.|crypto\.|process\.|\bsetTimeout|\bfetch\(|\brequire\(/
  expect(model.filter(({ text }) => impure.test(code(text))).map(({ path }) => path)).toEqual([])
  expect([...new Set(model.flatMap(({ packages }) => packages))]).toEqual(['zod'])
})

test('[TIDY-7] every error code occurs in a test', () => {
  const tests = all.filter(({ path }) => path.endsWith('.test.ts')).map(({ text }) => text)
  expect(Object.keys(CODES).filter(name => !tests.some(text => text.includes(`'${name}'`)))).toEqual([])
})
