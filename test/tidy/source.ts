import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The sources of the house as text: what is there and what imports what. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const HOUSES = ['model', 'server', 'client', 'bench', 'test'] as const

export interface Source {
  /** From the root, with slashes: `model/belief.ts`. */
  readonly path: string
  readonly text: string
  /** Files of ours that it imports, types included. */
  readonly imports: readonly string[]
  /** Files of ours that it starts by their URL. */
  readonly starts: readonly string[]
  /** Packages and `node:` modules. */
  readonly packages: readonly string[]
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g
const START = /new URL\(\s*['"](\.[^'"]+\.[jt]s)['"]/g

export const sources = (): Source[] =>
  HOUSES.filter(house => existsSync(join(ROOT, house)))
    .flatMap(house => filesUnder(join(ROOT, house)))
    .filter(path => /\.tsx?$/.test(path))
    .map(read)

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory() ? filesUnder(join(folder, entry.name)) : [join(folder, entry.name)],
  )

function read(path: string): Source {
  const text = readFileSync(path, 'utf8')
  const named = [...code(text).matchAll(IMPORT)].map(match => match[1] ?? match[2] ?? '')
  const started = [...code(text).matchAll(START)].map(match => sourceOf(match[1] as string))
  const fromRoot = (name: string) => relative(ROOT, resolve(dirname(path), name)).replaceAll('\\', '/')
  return {
    path: relative(ROOT, path).replaceAll('\\', '/'),
    text,
    imports: named.filter(isOurs).map(fromRoot),
    starts: started.map(fromRoot),
    packages: named.filter(name => !isOurs(name)),
  }
}

/** What is started by its URL is named as it is built. */
const sourceOf = (name: string): string => name.replace(/\.js$/, '.ts')

const isOurs = (name: string): boolean => name.startsWith('.')

/** Without comments, so that what they mention is no import. */
export const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
