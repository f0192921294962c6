import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { FETCH_WITHIN, fetched } from '../fetched.ts'
import { scratch } from '../server/process/program.ts'
import { World } from '../server/support/world.ts'

const run = promisify(execFile)
const PACKAGES = ['openapi-typescript@7', 'typescript@5']

const USE = `import type { paths } from './api'
type Observe = paths['/v1/users/{user}/observations']['post']
type Model = paths['/v1/users/{user}/model']['get']['responses'][200]['content']['application/json']
export const body: NonNullable<Observe['requestBody']>['content']['application/json'] = {
  observations: [{ field: 'need.issue', value: 'login_fails' }],
}
export const confidence = (model: Model): number => model.beliefs['need.issue']?.confidence ?? 0
// @ts-expect-error a model has no such thing
export const wrong = (model: Model) => model.nonsense
`

test('[LANG-4] a generator accepts /openapi.json, and what it makes of it is sound', {
  timeout: FETCH_WITHIN,
}, async () => {
  const folder = await fetched('openapi', PACKAGES, 'node_modules/openapi-typescript/bin/cli.js')
  const world = await World.start()
  const made = scratch()
  const document = await (await fetch(`${world.url}/openapi.json`)).text()
  writeFileSync(join(made, 'openapi.json'), document)
  const bin = (path: string) => join(folder, 'node_modules', path)
  await run(process.execPath, [bin('openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'api.ts'], { cwd: made })
  writeFileSync(join(made, 'use.ts'), USE)
  const check = [
    bin('typescript/bin/tsc'),
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    'false',
    '--target',
    'es2022',
    'use.ts',
  ]
  await run(process.execPath, check, { cwd: made })
  expect(
    Object.keys(JSON.parse(document).paths).every(path =>
      readFileSync(join(made, 'api.ts'), 'utf8').includes(`"${path}"`),
    ),
  ).toBe(true)
})
