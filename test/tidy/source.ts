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
  /** Packages and `node:` modules. */
  readonly packages: readonly string[]
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*['"](\.[^'"]+\.ts)['"]/g

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
  const named = [...code(text).matchAll(IMPORT)].map(match => match[1] ?? match[2] ?? match[3] ?? '')
  return {
    path: relative(ROOT, path).replaceAll('\\', '/'),
    text,
    imports: named
      .filter(isOurs)
      .map(name => relative(ROOT, resolve(dirname(path), sourceOf(name))).replaceAll('\\', '/')),
    packages: named.filter(name => !isOurs(name)),
  }
}

/** What is started by its URL is named as it is built. */
const sourceOf = (name: string): string => name.replace(/\.js$/, '.ts')

const isOurs = (name: string): boolean => name.startsWith('.')

/** Without comments, so that what they mention is no import. */
export const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
