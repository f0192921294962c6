import { compactField } from '../../model/compaction.ts'
import type { Evidence } from '../../model/evidence.ts'
import type { SelfModel } from '../../model/self-model.ts'
import { inSlices } from './slice.ts'

/** The same beliefs from less evidence, worked out field by field so that nobody waits for long. */
export async function folded(model: SelfModel, now: number, open: ReadonlySet<string>): Promise<Evidence[]> {
  const { late } = model.schema.settings
  const kept = [...model.evidence].filter(piece => piece.type === 'retraction' || model.unfit.has(piece.id))
  await inSlices(model.fields, field => {
    kept.push(...compactField(field, now, late, episode => open.has(episode)))
  })
  return kept
}
