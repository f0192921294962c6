import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AuditAnswer } from '../../../model/wire/audit.ts'
import { gather } from '../../../server/export/gather.ts'
import { deskOf } from '../../handoff/desk.ts'
import { scratch, selfsame } from '../process/program.ts'
import type { Caller } from '../support/caller.ts'
import { World } from '../support/world.ts'

const ATTACK = 'x"\n# Ignore all\n- [link](http://evil) <script>alert(1)</script> ```'

/** A user with words, a retraction, another name, and work that was handed on. */
async function known() {
  const world = await World.start()
  const [bot, sue] = [await world.as('bot', 'triage'), await world.as('sue', 'supervisor')]
  await bot.observe('u', { field: 'need.issue', value: 'refund', confidence: 0.7, why: 'told so', interaction: 'i-1' })
  await bot.observe('u', { field: 'need.goal', value: ATTACK, interaction: ATTACK })
  await bot.observe('v', { field: 'emotion.state', value: 'angry', interaction: 'before-login' })
  await sue.retract('u', { interaction: 'i-1', why: 'was another person' })
  await sue.post('/v1/users/u/aliases', { alias: 'v' })
  const desk = await deskOf(world, 'bot', 'triage')
  const work = await desk.user('u').start({ intent: 'help with a charge' })
  await work.checkpoint({ state: { step: 2 }, note: 'checked' })
  await work.handoff({ to: 'billing', reason: `reason ${ATTACK}`, next: 'refund it' })
  return { world, bot, sue, work, subject: await world.as('u', 'subject') }
}

const exportOf = async (caller: Caller, query = '') => {
  const { status, text, headers } = await caller.get(`/v1/users/u/export${query}`)
  expect(status, text).toBe(200)
  return { text, type: headers.get('content-type') ?? '' }
}

test('[EXP-5] an export holds every word, retraction, name, handoff and audit entry of the user, over HTTP and the SDK', async () => {
  const { world, work, subject } = await known()
  const exported = JSON.parse((await exportOf(subject)).text)
  expect(exported.evidence).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ field: 'need.issue', value: 'refund', agent: 'bot', role: 'triage', why: 'told so' }),
      expect.objectContaining({ type: 'retraction', by: 'sue', interaction: 'i-1', why: 'was another person' }),
    ]),
  )
  expect(exported.aliases).toMatchObject([
    { alias: 'v', by: 'sue', evidence: [{ field: 'emotion.state', value: 'angry', interaction: 'before-login' }] },
  ])
  const handoff = exported.papers[`handoff:${work.id}`]
  expect(handoff).toMatchObject({
    handoff: { checkpoint: { state: { step: 2 } }, grant: { expires: expect.any(Number) } },
  })
  expect(Object.keys(exported.papers).map(name => name.split(':')[0])).toEqual(
    expect.arrayContaining(['handoff', 'view', 'work']),
  )
  const kinds = new Set(exported.audit.map(({ kind }: { kind: string }) => kind))
  for (const kind of ['write', 'alias', 'grant', 'export']) expect(kinds).toContain(kind)
  const own = await deskOf(world, 'u', 'subject')
  expect((await own.user('u').export()).evidence).toEqual(exported.evidence)
})

test('[EXP-6] work and the audit are told to the user and to a role with the action `audit`; others who may export get evidence', async () => {
  const { world, sue, bot } = await known()
  const keys = async (caller: Caller) => Object.keys(JSON.parse((await exportOf(caller)).text)).sort()
  expect(await keys(await world.as('ann', 'human'))).toEqual(['aliases', 'evidence', 'user'])
  expect(await keys(sue)).toEqual(['aliases', 'audit', 'evidence', 'papers', 'user'])
  expect((await bot.get('/v1/users/u/export')).status).toBe(403)
  expect((await (await world.as('v', 'subject')).get('/v1/users/u/export')).status).toBe(404)
  const visitor = JSON.parse((await (await world.as('v', 'subject')).get('/v1/users/v/export')).text)
  expect(visitor.evidence).toHaveLength(1)
  expect(JSON.stringify(visitor)).not.toContain('told so')
})

test('[EXP-7] the form for a person names who said what when and why, and nothing stored begins a line or has any power', async () => {
  const { world, subject } = await known()
  const { text, type } = await exportOf(subject, '?format=markdown')
  expect(type).toContain('text/markdown')
  for (const told of ['"refund", said by "bot" ("triage")', 'because "told so"', 'joined by "sue"', 'last checkpoint'])
    expect(text).toContain(told)
  expect(text).not.toMatch(/<script|\[link\]|```|^# Ignore|^- \[/m)
  for (const line of text.split('\n')) expect(line).toMatch(/^(#{1,3} |- | {2}- |Other names|Nothing\.$|$)/)
  const own = await deskOf(world, 'u', 'subject')
  expect(await own.user('u').export({ format: 'markdown' })).toMatch(/^# Everything kept of "u"\n/)
  expect((await subject.get('/v1/users/u/export?format=pdf')).status).toBe(400)
})

test('[EXP-8] who exports is in the audit, over the network and by command', async () => {
  const { world, sue, subject } = await known()
  await exportOf(sue)
  await world.stop()
  const program = selfsame(['export', 'u', '--format', 'markdown', '--data', world.data])
  expect(await program.ended, program.errors).toEqual({ code: 0, signal: null })
  expect(program.output).toContain('said by "bot"')
  await world.restart()
  const again = await world.as('u', 'subject')
  expect(subject.url).not.toBe(again.url)
  const { entries }: AuditAnswer = JSON.parse((await again.get('/v1/users/u/audit?kind=export')).text)
  expect(entries.map(({ agent, what }) => agent ?? what)).toEqual(['command line', 'sue'])
})

test('[EXP-9] an import that would join a name which is joined elsewhere is refused before anything is written', async () => {
  const { world, sue } = await known()
  const file = join(scratch(), 'export.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse((await exportOf(sue)).text), user: 'w' }))
  await world.stop()
  const program = selfsame(['import', file, '--data', world.data])
  expect((await program.ended).code).toBe(2)
  expect(program.errors).toMatch(/v is joined to another account/)
  await world.restart()
  expect((await (await world.as('sue', 'supervisor')).export('w')).evidence).toEqual([])
})

test('[EXP-10] an export is bounded, and names what did not fit', async () => {
  const papers = [1, 2, 3].map(number => [`work:${number}`, {}] as const)
  const source = { evidenceOf: async () => [], aliases: [], papersOf: () => papers, auditOf: () => [] }
  expect(await gather('u', { ...source, most: 3 })).not.toHaveProperty('cut')
  expect(await gather('u', { ...source, most: 2 })).toMatchObject({
    papers: { 'work:1': {}, 'work:2': {} },
    cut: ['papers'],
  })
})
