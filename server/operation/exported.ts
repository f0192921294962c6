import { z } from 'zod'
import type { Evidence } from '../../model/evidence.ts'
import { ID_PATTERN } from '../../model/name.ts'
import type { Json } from '../../model/value.ts'
import { type Alias, Aliases, JOINS } from '../alias/aliases.ts'
import { requireJoinable } from '../alias/joinable.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { oneOfEach, stands } from '../room/one-of-each.ts'
import type { Archive } from '../store/archive.ts'
import { parse, userId } from './request.ts'

/** A user as exported: the evidence as it stands, to be read by another store. */

const id = z.string().min(1).max(256)
const field = z.string().max(128)
const value = z.json() as z.ZodType<Json>
const share = z.number().min(0).max(1)
const time = z.number().min(0)
const seq = z.int().min(0)
const basis = z.enum(['heard', 'seen', 'inferred'])
const said = {
  id,
  field,
  value,
  not: z.literal(true).optional(),
  agent: z.string().regex(ID_PATTERN),
  role: z.string(),
}
const spoken = {
  interaction: id,
  episode: id,
  source: id.optional(),
  basis,
  confidence: share,
  trust: share,
  at: time,
  seq,
}

const evidence = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('word'),
    ...said,
    ...spoken,
    rank: z.union([z.literal(0), z.literal(1)]),
    echo: z.literal(true).optional(),
    task: id.optional(),
    why: z.string().optional(),
    received: time,
  }),
  z.strictObject({
    type: z.literal('pack'),
    ...said,
    task: id.optional(),
    parts: z.array(z.strictObject({ id, ...spoken })).min(1),
  }),
  z.strictObject({
    type: z.literal('sum'),
    ...said,
    interaction: id,
    source: id.optional(),
    episodes: z.array(id).min(1),
    at: time,
    seq,
    last: id,
    weight: z.number().min(0),
    claimed: z.number().min(0),
  }),
  z.strictObject({
    type: z.literal('retraction'),
    id,
    by: z.string(),
    role: z.string(),
    agent: id.optional(),
    interaction: id.optional(),
    source: id.optional(),
    field: field.optional(),
    within: z.array(z.array(z.string())),
    why: z.string().optional(),
    received: time,
    seq,
  }),
])

/** Work, handoffs and the audit are for reading: an import leaves them where they are. */
const archived = {
  papers: z.record(z.string(), z.unknown()).optional(),
  audit: z.array(z.unknown()).optional(),
  cut: z.array(z.string()).optional(),
}

const exported = z.strictObject({
  user: userId,
  evidence: z.array(evidence),
  ...archived,
  aliases: z
    .array(z.strictObject({ alias: userId, by: userId, at: time, evidence: z.array(evidence), ...archived }))
    .optional(),
})

/** What an import takes of an export. */
export interface Exported {
  readonly user: string
  readonly evidence: readonly Evidence[]
  readonly papers?: { readonly [name: string]: unknown }
  readonly aliases?: readonly (Alias & Omit<Exported, 'user' | 'aliases'>)[]
}

export const parseExported = (input: unknown): Exported => parse(exported, input) as Exported

const PER_COMMIT = 256

/**
 * Union with what the store holds, and the same names joined. Says how many pieces were new. Names that can't be joined
 * here are refused before anything is written.
 */
export async function importUser(archive: Archive, { user, evidence, aliases = [] }: Exported): Promise<number> {
  const known = new Aliases(archive)
  const fresh = aliases.filter(({ alias }) => known.accountOf(alias) !== user)
  const most = DEFAULT_LIMITS.aliasesPerUser - fresh.length + 1
  for (const { alias } of fresh) requireJoinable(known, most, user, alias)
  let count = await importName(archive, user, evidence)
  for (const each of aliases) count += await importName(archive, each.alias, each.evidence)
  for (const each of fresh) await joinName(archive, known, user, each)
  return count
}

async function importName(archive: Archive, user: string, evidence: readonly Evidence[]): Promise<number> {
  const known = oneOfEach((await archive.load(user)).evidence)
  const fresh = evidence.filter(piece => {
    const here = known.get(piece.id)
    return !here || stands(piece, here)
  })
  for (let from = 0; from < fresh.length; from += PER_COMMIT)
    await archive.commit(user, [], () => ({
      evidence: fresh.slice(from, from + PER_COMMIT),
      outcomes: [],
      tallies: [],
      result: undefined,
    }))
  return fresh.length
}

async function joinName(archive: Archive, known: Aliases, user: string, { alias, by, at }: Alias): Promise<void> {
  // The alias has a key from now on, by which it finds its account.
  await archive.mac(alias)
  const paper = known.paperOf(alias)
  const { count, gone } = known.joinsOf(user)
  const written = new Map<string, unknown>([
    [paper, { alias, by, at } satisfies Alias],
    [JOINS, { count: count + 1, gone }],
  ])
  const isOpen = [...archive.open()].includes(user)
  await archive.commit(user, [], () => ({
    evidence: [],
    outcomes: [],
    tallies: [],
    papers: { written, filed: [paper], isOpen },
    result: undefined,
  }))
}
