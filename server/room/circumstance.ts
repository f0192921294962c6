import { type Belief, believe } from '../../model/belief.ts'
import type { Evidence } from '../../model/evidence.ts'
import type { Schema } from '../../model/schema.ts'
import { SelfModel } from '../../model/self-model.ts'
import type { Circumstances } from '../replica/layout.ts'
import type { Loaded } from '../store/archive.ts'
import { inSlices } from './slice.ts'

/** What a room makes of what was stored, and asks of its model. */

export const foldedTo = ({ head, unfolded }: Loaded): number => head.seq - unfolded

export const writtenAt = ({ evidence, seqs }: Loaded): Map<string, number> =>
  new Map(evidence.map(({ id }, index) => [id, seqs[index] ?? 0]))

/** Only an import writes what was folded to the log, or an id that stands there already. */
export function circumstancesOf(loaded: Loaded): Circumstances {
  const { evidence, seqs, head, damaged } = loaded
  const known = new Set<string>()
  const imported: string[] = []
  for (const [index, { id, type }] of evidence.entries()) {
    const isFold = (type === 'pack' || type === 'sum') && (seqs[index] ?? 0) > foldedTo(loaded)
    if (isFold || known.has(id)) imported.push(id)
    known.add(id)
  }
  return { epoch: head.epoch, foldedTo: foldedTo(loaded), damaged: damaged.filter(each => !('note' in each)), imported }
}

export async function modelOf(schema: Schema, evidence: Iterable<Evidence>): Promise<SelfModel> {
  const model = new SelfModel(schema)
  await inSlices(evidence, piece => {
    model.add(piece)
  })
  return model
}

export const namesOf = ({ fields }: SelfModel): ReadonlySet<string> => new Set([...fields].map(({ name }) => name))

export function believedOf(model: SelfModel, field: string, now: number, task: string): Belief | undefined {
  const evidence = model.field(field)
  return evidence && believe(evidence, now, task)
}
