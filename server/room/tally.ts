import type { Word } from '../../model/evidence.ts'
import type { FieldEvidence } from '../../model/field-evidence.ts'
import { SelfModel } from '../../model/self-model.ts'
import { NO_RECORD, recordsOf, type TrackRecord } from '../../model/trust.ts'
import type { TallyChange } from '../store/storage.ts'

/**
 * How people's words in a commit change what agents have delivered. Only a word that settles judges: an agent can't mend
 * its record by taking back what proved wrong.
 */
export function tallyChanges(model: SelfModel, words: readonly Word[]): TallyChange[] {
  const judged = new Set(words.filter(word => word.rank === 1).map(word => word.field))
  return [...judged].flatMap(name => {
    const before = model.field(name)
    const after = withWords(
      model,
      before,
      words.filter(word => word.field === name),
    )
    return differences(before ? recordsOf(before) : new Map(), after ? recordsOf(after) : new Map())
  })
}

function withWords(
  model: SelfModel,
  before: FieldEvidence | undefined,
  words: readonly Word[],
): FieldEvidence | undefined {
  const said = new Set((before?.terms ?? []).map(term => term.carrier))
  const [first] = words
  return new SelfModel(model.schema, [...(before?.retractions ?? []), ...said, ...words]).field(first?.field ?? '')
}

function differences(before: Map<string, TrackRecord>, after: Map<string, TrackRecord>): TallyChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap(agent => {
    const [was, is] = [before.get(agent) ?? NO_RECORD, after.get(agent) ?? NO_RECORD]
    const change = { agent, claimed: is.claimed - was.claimed, delivered: is.delivered - was.delivered }
    return change.claimed === 0 && change.delivered === 0 ? [] : [change]
  })
}
