import { z } from 'zod'
import type { Evidence } from '../../model/evidence.ts'
import { ID_PATTERN } from '../../model/name.ts'
import type { Json } from '../../model/value.ts'
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

const exported = z.strictObject({ user: userId, evidence: z.array(evidence) })

export interface Exported {
  readonly user: string
  readonly evidence: readonly Evidence[]
}

export const parseExported = (input: unknown): Exported => parse(exported, input) as Exported

const PER_COMMIT = 256

/** Union with what the store holds. Says how many pieces were new. */
export async function importUser(archive: Archive, { user, evidence }: Exported): Promise<number> {
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
