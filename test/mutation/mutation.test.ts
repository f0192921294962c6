import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ROOT } from '../tidy/source.ts'
import { MUTATIONS, type Mutation } from './mutations.ts'

const COPIED = ['model', 'test/law.ts', 'test/world', 'test/model', 'vitest.config.ts', 'package.json', 'tsconfig.json']

const report = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ title: z.string(), status: z.string() })) })),
})

/** The first to fail ends the run, so the cheap and telling ones come first. */
const LAW_FILES = [
  'register',
  'settling',
  'weight',
  'retraction',
  'union',
  'compaction',
  'time',
  'explanation',
  'evolution',
  'view',
]

const LAW = /\blaw\(\s*['"]\[([A-Z]+-\d+)\]/g

describe('mutations', () => {
  const found: (readonly [rule: string, laws: string])[] = []
  let copy = ''

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'selfsame-mutation-'))
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  })

  afterAll(() => {
    rmSync(copy, { recursive: true })
    console.log(
      ['| mutation | laws that fail |', '|---|---|', ...found.map(row => `| ${row.join(' | ')} |`)].join('\n'),
    )
  })

  test('[TIDY-8] unbroken, every law holds', { timeout: 600_000 }, () => {
    expect(failing(copy)).toEqual([])
  })

  test.each(MUTATIONS)('[TIDY-8] broken on purpose, a law fails: $rule', { timeout: 600_000 }, mutation => {
    const laws = broken(copy, mutation)
    found.push([mutation.rule, laws.map(name => name.match(/^\[([A-Z]+-\d+)\]/)?.[1]).join(', ')])
    expect(laws).not.toEqual([])
  })
})

/** The laws that fail under a mutation. The copy is whole again afterwards. */
function broken(copy: string, { file, from, to }: Mutation): string[] {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  expect(text.split(from).length, `"${from}" stands exactly once in ${file}`).toBe(2)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  try {
    return failing(copy)
  } finally {
    writeFileSync(path, text)
  }
}

/** Only laws are run, and the first that fails ends the run. */
function failing(copy: string): string[] {
  const output = join(copy, 'report.json')
  rmSync(output, { force: true })
  const files = LAW_FILES.map(name => `test/model/${name}.test.ts`)
  const only = `^(${lawsOf(copy).join('|')})`
  const options = ['--bail=1', '-t', only, '--reporter=json', `--outputFile=${output}`]
  const env = { ...process.env, SELFSAME_LONG: '', SELFSAME_MUTATIONS: '' }
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files, ...options], {
    cwd: copy,
    env,
    stdio: 'ignore',
  })
  const { testResults } = report.parse(JSON.parse(readFileSync(output, 'utf8')))
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ title }) => title)
}

/** The ids that the names of laws begin with, as patterns. */
function lawsOf(copy: string): string[] {
  const texts = LAW_FILES.map(name => readFileSync(join(copy, `test/model/${name}.test.ts`), 'utf8'))
  const ids = texts.flatMap(text => [...text.matchAll(LAW)].map(match => match[1] as string))
  return ids.map(id => `\\[${id}\\]`)
}
