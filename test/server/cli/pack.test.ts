import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Program, ROOT, scratch } from '../process/program.ts'

const HEADING = '## The first belief in a minute'
const INSTALL_DEADLINE = 300_000

/** An empty folder in which nothing but the packed package was installed. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'selfsame-packed-'))
  // Built by `npm test` already: building again here would take the files from under the other tests.
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' })
  const [packed = ''] = readdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const quick = ['--no-audit', '--no-fund', '--prefer-offline']
  execFileSync('npm', ['install', ...quick, join(folder, packed)], { cwd: folder, stdio: 'pipe' })
}, INSTALL_DEADLINE)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The first block of a language after the heading. */
function readmeBlock(language: string): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, after] = readme.split(HEADING)
  const [, block] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(after ?? '') ?? []
  if (block === undefined) throw new Error(`README.md has no ${language} block after "${HEADING}".`)
  return block
}

/** As anyone would run it there. */
const npx = (args: readonly string[]): Program =>
  new Program('npx', ['--no-install', 'selfsame', ...args], { directory: folder, isFamily: true })

async function serving(): Promise<{ URL: string; TOKEN: string }> {
  const data = scratch()
  const [, URL = ''] = await npx(['serve', '--port', '0', '--data', data]).line(/^listening on (\S+)$/)
  const minting = npx(['token', '--agent', 'bot-1', '--role', 'triage', '--data', data])
  expect(await minting.ended, minting.errors).toEqual({ code: 0, signal: null })
  return { URL, TOKEN: minting.output }
}

const withoutTime = (text: string): string => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME').trim()

test('[PACK-1] from the packed package in an empty folder, the first example of README.md runs as it stands and prints what it says', async () => {
  const example = readmeBlock('js')
  expect(example).toContain("from 'selfsame/client'")
  writeFileSync(join(folder, 'first.mjs'), example)
  const program = new Program(process.execPath, ['first.mjs'], { directory: folder, environment: await serving() })
  expect(await program.ended, program.errors).toEqual({ code: 0, signal: null })
  expect(withoutTime(program.output)).toBe(withoutTime(readmeBlock('text')))
})

const TYPED = `
import { connect } from 'selfsame/client'
import { fileOutbox } from 'selfsame/client/node'
import { defineModel } from 'selfsame/model'
import { start, type Service } from 'selfsame/server'

const model = defineModel({
  fields: { 'visit.reason': { kind: 'choice', values: ['checkup', 'pain'], halfLife: '7d' } },
  roles: { greeter: { reach: 'all', read: ['**'], write: ['**'] } },
})
const service: Service = await start({ port: 0, data: process.argv[2] ?? '', schema: model })
const token = await service.token('bot', 'greeter')
const desk = await connect({ url: service.url, token, model, outbox: fileOutbox(process.argv[2] + '.outbox') })
await desk.user('u_1').observe({ 'visit.reason': { value: 'pain', confidence: 0.9 } })
const reason: 'checkup' | 'pain' | null | undefined = (await desk.user('u_1').model()).get('visit.reason')?.value
console.log(reason)
await desk.close()
await service.close()
`

const WRONG = `
import { connect } from 'selfsame/client'
import { defineModel } from 'selfsame/model'
const model = defineModel({
  fields: { 'visit.reason': { kind: 'choice', values: ['checkup', 'pain'], halfLife: '7d' } },
  roles: { greeter: { reach: 'all', read: ['**'], write: ['**'] } },
})
const desk = await connect({ url: '', token: '', model })
await desk.user('u_1').observe({ 'visit.reason': 'pian' })
`

/** The compiler of this house, over the types that were installed. */
function compile(file: string): Program {
  const options = {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      strict: true,
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    files: [file],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  return new Program(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], { directory: folder })
}

test('[PACK-2] the first example of README.md is TypeScript as it stands', async () => {
  writeFileSync(join(folder, 'first.mts'), readmeBlock('js'))
  const compiling = compile('first.mts')
  expect(await compiling.ended, compiling.output).toEqual({ code: 0, signal: null })
})

test('[PACK-3] every entry of the packed package type-checks strictly and runs, and a wrong value does not', async () => {
  writeFileSync(join(folder, 'typed.mts'), TYPED)
  const compiling = compile('typed.mts')
  expect(await compiling.ended, compiling.output).toEqual({ code: 0, signal: null })
  const running = new Program(process.execPath, ['typed.mjs', join(scratch(), 'data')], { directory: folder })
  expect(await running.ended, running.errors).toEqual({ code: 0, signal: null })
  expect(running.output).toBe('pain')
  writeFileSync(join(folder, 'wrong.mts'), WRONG)
  const wrong = compile('wrong.mts')
  expect((await wrong.ended).code).not.toBe(0)
  expect(wrong.output).toContain('"pian"')
})
