import { compactField } from '../../model/compaction.ts'
import type { Evidence } from '../../model/evidence.ts'
import { nameNow } from '../../model/interpretation.ts'
import type { SelfModel } from '../../model/self-model.ts'
import { inSlices } from './slice.ts'

/**
 * The same beliefs from less evidence of these fields, worked out field by field so that nobody waits for long.
 * Of one of many names nothing is summed.
 */
export async function folded(
  model: SelfModel,
  fields: ReadonlySet<string>,
  now: number,
  open: ReadonlySet<string>,
  isOneOfMany = false,
): Promise<Evidence[]> {
  const late = isOneOfMany ? Number.POSITIVE_INFINITY : model.schema.settings.late
  const kept = [...model.evidence].filter(
    piece =>
      piece.type === 'retraction' ||
      model.unfit.has(piece.id) ||
      !fields.has(nameNow(model.schema, piece.field) ?? piece.field),
  )
  const due = [...model.fields].filter(({ name }) => fields.has(name))
  await inSlices(due, field => {
    kept.push(...compactField(field, now, late, episode => open.has(episode)))
  })
  return kept
}
