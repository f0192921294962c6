import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Peer } from '../hostile/peer.ts'
import { scratch, selfsame } from '../process/program.ts'
import { Serving } from '../process/serving.ts'

/** A directory of data in which an agent has said some things of u_1. */
async function dataWith(agent: string, values: readonly string[]): Promise<string> {
  const data = scratch()
  const server = await Serving.serve(data)
  const peer = await Peer.connect(server, agent)
  for (const value of values) await peer.observe('u_1', value, `${agent}-${value}`)
  await peer.ask('observe', { user: 'u_1', observations: [{ field: 'identity.allergies', value: ['nuts', 'milk'] }] })
  server.program.signal('SIGTERM')
  await server.program.ended
  return data
}

async function exported(data: string): Promise<{ user: string; evidence: { id: string }[] }> {
  const program = selfsame(['export', 'u_1', '--data', data])
  expect(await program.ended, program.errors).toEqual({ code: 0, signal: null })
  return JSON.parse(program.output)
}

async function imported(file: string, data: string): Promise<string> {
  const program = selfsame(['import', file, '--data', data])
  expect(await program.ended, program.errors).toEqual({ code: 0, signal: null })
  return program.output
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)

test('[CLI-10] two stores that import what the other exports hold equal evidence; a second import adds nothing', async () => {
  const [a, b] = await Promise.all([dataWith('ann', ['x', 'y']), dataWith('ben', ['y', 'z'])])
  const folder = scratch()
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const file = join(folder, 'export.json')
    writeFileSync(file, JSON.stringify(await exported(from)))
    expect(await imported(file, to)).toMatch(/^u_1: 4 of \d pieces of evidence were new\.$/)
    expect(await imported(file, to)).toMatch(/^u_1: 0 of \d pieces of evidence were new\.$/)
  }
  const [ofA, ofB] = [await exported(a), await exported(b)]
  expect(ofA.evidence).toHaveLength(8)
  expect(ofA.evidence.sort(byId)).toEqual(ofB.evidence.sort(byId))
})

test('[CLI-11] export and import are refused while a server holds the data', async () => {
  const data = scratch()
  await Serving.serve(data)
  const folder = scratch()
  writeFileSync(join(folder, 'export.json'), '{"user":"u_1","evidence":[]}')
  for (const args of [
    ['export', 'u_1'],
    ['import', 'export.json'],
  ]) {
    const program = selfsame([...args, '--data', data], { directory: folder })
    expect((await program.ended).code, args[0]).toBe(1)
    expect(program.errors).toMatch(/is in use by process \d+/)
  }
})

test('[CLI-12] what is no export is refused with the place of the mistake, and nothing is made', async () => {
  const folder = scratch()
  const file = join(folder, 'bad.json')
  writeFileSync(file, '{"user":"u_1","evidence":[{"type":"word","id":7}]}')
  const program = selfsame(['import', file, '--data', join(folder, 'fresh')])
  expect((await program.ended).code).toBe(2)
  expect(program.errors).toMatch(/bad\.json is not an export: evidence\[0\]\.id: /)
  expect(existsSync(join(folder, 'fresh'))).toBe(false)
})

const OLD = {
  fields: {
    'need.issue': { kind: 'choice', halfLife: '7d' },
    'identity.allergies': { kind: 'set', halfLife: 'never' },
  },
  roles: { bot: { reach: 'all', read: ['**'], write: ['**'] } },
}

test('[CLI-13] `check` tells who loses what and which evidence no longer fits, and its code says whether anything is lost', async () => {
  const folder = scratch()
  const write = (name: string, schema: object) => writeFileSync(join(folder, name), JSON.stringify(schema))
  write('old.json', OLD)
  write('more.json', { ...OLD, fields: { ...OLD.fields, 'need.goal': { kind: 'text' } } })
  write('less.json', { ...OLD, fields: { 'need.issue': OLD.fields['need.issue'] } })
  write('narrow.json', { ...OLD, roles: { bot: { ...OLD.roles.bot, read: ['need.*'] } } })
  write('strict.json', {
    ...OLD,
    fields: { ...OLD.fields, 'need.issue': { kind: 'choice', values: ['login_fails', 'refund'], halfLife: '7d' } },
  })
  write('broken.json', { fields: 7 })
  const data = await dataWith('ann', ['odd'])
  const check = async (file: string, ...more: string[]) => {
    const program = selfsame(['check', file, '--config', 'old.json', ...more], { directory: folder })
    const { code } = await program.ended
    return { code, text: program.output + program.errors }
  }
  expect(await check('old.json')).toMatchObject({ code: 0, text: expect.stringContaining('No field and no role') })
  expect(await check('more.json', '--data', data)).toMatchObject({
    code: 0,
    text: expect.stringContaining('need.goal'),
  })
  expect(await check('less.json')).toMatchObject({
    code: 1,
    text: expect.stringContaining('identity.allergies is removed'),
  })
  expect(await check('narrow.json')).toMatchObject({ code: 1, text: expect.stringContaining('role bot loses read') })
  const strict = await check('strict.json', '--data', data)
  expect(strict).toMatchObject({
    code: 1,
    text: expect.stringMatching(/evidence of need\.issue no longer fits: .*: 1 piece of 1 user/),
  })
  expect(await check('broken.json')).toMatchObject({ code: 2, text: expect.stringContaining('fields') })
  expect(await check('nowhere.json')).toMatchObject({ code: 2 })
  expect(await check('old.json', '--data', 'nowhere')).toMatchObject({ code: 2 })
})
