import { z } from 'zod'
import { detailsOf } from '../../model/definition.ts'
import { ok, type Result, refuse } from '../../model/error.ts'
import { isFieldName, isId } from '../../model/name.ts'
import { observationShape } from '../../model/observation.ts'

/**
 * One line of a log to be replayed, as JSON. The lines of one user stand in the order in which things happened:
 *
 *     {"type":"observation","at":"2026-01-05T09:00:00Z","user":"u_1","role":"triage","field":"need.order","value":"A17","basis":"heard"}
 *     {"type":"handoff","at":"2026-01-05T09:01:00Z","user":"u_1","role":"billing","agent":"ben"}
 *     {"type":"ask","at":"2026-01-05T09:02:00Z","user":"u_1","role":"billing","agent":"ben","field":"need.order"}
 *
 * A handoff names who takes over, an ask what its holder asks the user for. Without `agent` it is one called after its role.
 */
export type LogLine = z.infer<typeof lineShape>

const id = z.string().refine(isId, { error: 'expected 1 to 128 letters, digits or any of _ . : ~ -' })
const at = z.union([z.int().min(0), z.iso.datetime({ offset: true }).transform(text => Date.parse(text))], {
  error: 'expected milliseconds since 1970 or an ISO 8601 time with an offset',
})
const field = z.string().refine(isFieldName, { error: 'expected a field name such as "need.issue"' })
const who = { at, user: id, role: id, agent: id.optional() }

const { value, not, confidence, basis, interaction, task, source, why } = observationShape.shape

const lineShape = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('observation'),
      ...who,
      ...{ field, value, not, confidence, basis, interaction, task, source, why },
      id: observationShape.shape.id,
    }),
    z.strictObject({ type: z.literal('handoff'), ...who, task: task.optional(), from: z.unknown().optional() }),
    z.strictObject({ type: z.literal('ask'), ...who, field, task: task.optional() }),
  ],
  { error: 'expected "observation", "handoff" or "ask"' },
)

export type Said = Extract<LogLine, { type: 'observation' }>

export function parseLine(text: string): Result<LogLine> {
  const input = parseJson(text)
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return refuse('bad_request', 'this is not a JSON object')
  const parsed = lineShape.safeParse(input)
  if (parsed.success) return ok(parsed.data)
  const [first] = detailsOf(parsed.error)
  return refuse('bad_request', `${first?.path || 'the line'}: ${first?.message}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
