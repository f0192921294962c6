import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { modelDefinition } from '../../model/definition.ts'
import { unwrap } from '../../model/error.ts'
import { desk } from '../../model/sample/desk.ts'
import { strictDesk } from '../../model/sample/strict-desk.ts'
import { parseModel } from '../../model/schema.ts'

/** The files that users' editors and `selfsame serve --config` read. `npm run generate` writes them from the code. */
const sample = (definition: object) => ({ $schema: './model.schema.json', ...definition })
const EXPECTED: Record<string, object> = {
  'model.schema.json': {
    title: 'A selfsame model: fields, roles and settings',
    ...z.toJSONSchema(modelDefinition, { target: 'draft-7', io: 'input' }),
  },
  'desk.json': sample(desk.definition),
  'strict-desk.json': sample(strictDesk.definition),
}

const pathOf = (name: string): string => fileURLToPath(new URL(`../../model/published/${name}`, import.meta.url))
const text = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

if (process.env['SELFSAME_UPDATE'] === '1')
  for (const [name, value] of Object.entries(EXPECTED)) writeFileSync(pathOf(name), text(value))

const published = (name: string): string => readFileSync(pathOf(name), 'utf8')
const schemaFile: unknown = JSON.parse(published('model.schema.json'))

test.each(Object.keys(EXPECTED))(
  '[SCH-14] the published %s is what the code says; `npm run generate` makes it so',
  name => {
    expect(published(name)).toBe(text(EXPECTED[name] as object))
  },
)

describe.each([['desk.json', desk] as const, ['strict-desk.json', strictDesk] as const])('%s', (name, schema) => {
  const given: unknown = JSON.parse(published(name))

  test('[SCH-15] a published sample is read as the schema that is written in code', () => {
    const read = unwrap(parseModel(given))
    const plain = (value: object) => JSON.parse(JSON.stringify(value))
    expect(plain([...read.fields])).toEqual(plain([...schema.fields]))
    expect(
      [...read.roles].map(([role, { read, write, ...rest }]) => [role, read.lists, write.lists, plain(rest)]),
    ).toEqual([...schema.roles].map(([role, { read, write, ...rest }]) => [role, read.lists, write.lists, plain(rest)]))
    expect(read.settings).toEqual(schema.settings)
  })

  test('[SCH-16] the published JSON Schema accepts the samples and refuses what the parser refuses', () => {
    const validator = z.fromJSONSchema(schemaFile as Parameters<typeof z.fromJSONSchema>[0])
    expect(validator.safeParse(given).error).toBeUndefined()
    const broken = { ...(given as object), fields: { 'need.issue': { kind: 'choice', halfLife: 'soon' } } }
    expect(validator.safeParse(broken).success).toBe(false)
    expect(validator.safeParse({ ...(given as object), feilds: {} }).success).toBe(false)
  })
})

test('[SCH-17] every setting of a field, role and model is described for editors', () => {
  const described = JSON.stringify(schemaFile)
  for (const sentence of [
    'Time after which a piece of evidence weighs half.',
    'a deny always wins',
    'How old a word may be when it arrives.',
    'Earlier names of this field.',
    'The values allowed.',
  ])
    expect(described).toContain(sentence)
  expect(schemaFile).toMatchObject({ $schema: expect.stringContaining('json-schema.org'), type: 'object' })
})
