import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Program, scratch, selfsame } from '../process/program.ts'
import { Caller } from '../support/caller.ts'

const PATIENT = { timeout: 20_000 }

const schema = (issues: readonly string[], read: readonly string[]) => ({
  fields: { 'need.issue': { kind: 'choice', values: issues }, 'mood.now': { kind: 'text' } },
  roles: { bot: { reach: 'all', read, write: ['**'], actions: ['refund'] } },
})

const OLD = schema(['refund', 'login'], ['**'])

async function serving(folder: string): Promise<{ program: Program; caller: Caller }> {
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(OLD))
  const surroundings = { directory: folder }
  const program = selfsame(['serve', '--port', '0', '--data', 'data', '--config', 'schema.json'], surroundings)
  const [, url = ''] = await program.line(/^listening on (http:\/\/\S+)$/)
  const token = selfsame(
    ['token', '--agent', 'b', '--role', 'bot', '--data', 'data', '--config', 'schema.json'],
    surroundings,
  )
  await token.ended
  return { program, caller: new Caller(url, token.output.trim()) }
}

test('[CHG-6] on SIGHUP a changed schema is put in force and told; one with a mistake changes nothing', async () => {
  const folder = scratch()
  const { program, caller } = await serving(folder)
  await caller.observe('u', { field: 'need.issue', value: 'login' }, { field: 'mood.now', value: 'tired' })
  writeFileSync(join(folder, 'schema.json'), '{"fields":{"need.issue":{"kind":"riddle"}},"roles":{}}')
  program.signal('SIGHUP')
  await expect
    .poll(() => program.errors, PATIENT)
    .toMatch(/The schema stays as it was\. .*schema\.json is not a schema/s)
  expect(Object.keys((await caller.model('u')).beliefs)).toEqual(['mood.now', 'need.issue'])
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(schema(['refund', 'login'], ['need.*'])))
  program.signal('SIGHUP')
  await program.line(/role bot loses read of mood\.now/)
  expect(Object.keys((await caller.model('u')).beliefs)).toEqual(['need.issue'])
})

test('[CHG-7] `check` looks at the data of a running server: who loses what, and how much evidence of how many users no longer fits', async () => {
  const folder = scratch()
  const { program, caller } = await serving(folder)
  for (const user of ['u', 'v']) await caller.observe(user, { field: 'need.issue', value: 'login' })
  const next = {
    ...schema(['refund', 'other'], ['**']),
    roles: { bot: { reach: 'assigned', read: ['**'], write: ['**'] } },
  }
  writeFileSync(join(folder, 'new.json'), JSON.stringify(next))
  const check = selfsame(['check', 'new.json', '--config', 'schema.json', '--data', 'data'], { directory: folder })
  expect((await check.ended).code, check.errors).toBe(1)
  expect(check.output).toContain('role bot loses reach: all → assigned')
  expect(check.output).toContain('role bot loses action refund')
  expect(check.output).toMatch(/evidence of need\.issue no longer fits: .*: 2 pieces of 2 users/)
  expect((await caller.model('u')).beliefs['need.issue']?.value).toBe('login')
  program.signal('SIGTERM')
  expect((await program.ended).code).toBe(0)
})
