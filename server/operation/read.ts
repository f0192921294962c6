import { courseOf } from '../../model/course.ts'
import { SelfsameError, unwrap } from '../../model/error.ts'
import { type Explained, explain as explainField } from '../../model/explanation.ts'
import { Patterns } from '../../model/pattern.ts'
import type { Scope } from '../../model/scope.ts'
import { VIEW_AS } from '../../model/wire/schema-seen.ts'
import type { Session } from '../access/session.ts'
import { contextOf } from '../context/context.ts'
import type { ServedView } from '../room/view-cache.ts'
import type { Desk } from './desk.ts'
import type { ContextRequest, ExplainRequest, ModelRequest } from './request.ts'

export interface Read {
  readonly user: string
  readonly version: string
  readonly served: ServedView
}

/** What is believed of a user, as far as the session may read it. */
export const model = (desk: Desk, session: Session, request: ModelRequest): Promise<Read> =>
  desk.in(session, request.user, async (room, own) => {
    await desk.reached(room, request.atLeast)
    room.requireCurrent(own)
    const { task = '', minConfidence, as } = request
    const scope = as === undefined ? own : seenAs(desk, session, own, as)
    const fields = request.fields && new Patterns(request.fields)
    const served =
      fields || minConfidence !== undefined || as !== undefined
        ? room.ask(scope, { task, ...(fields && { fields }), ...(minConfidence !== undefined && { minConfidence }) })
        : room.view(scope, task)
    room.serve(session.agent, fields ? scope.read.and(fields) : scope.read)
    await desk.house.journal.showed(session, room.user, as === undefined ? 'model' : `model as ${as}`, served)
    return { user: room.user, version: desk.version(room, served.seq), served }
  })

/** What a role may read, of what the session may: looking as another shows nothing more. */
function seenAs(desk: Desk, session: Session, own: Scope, as: string): Scope {
  if (!session.role.actions.includes(VIEW_AS))
    throw new SelfsameError({ code: 'forbidden', message: `Only a role with the action "${VIEW_AS}".` })
  const role = unwrap(desk.house.schema.role(as))
  return { read: own.read.and(role.read), write: own.write.and(role.write) }
}

/** The same for a prompt: in words, within a budget. */
export const context = (desk: Desk, session: Session, request: ContextRequest) =>
  desk.in(session, request.user, async (room, scope) => {
    await desk.reached(room, request.atLeast)
    const served = room.view(scope, request.task ?? '')
    const { schema } = desk.house
    const { tokens, format = 'markdown', stale = false } = request
    const made = unwrap(
      contextOf({
        schema,
        role: session.role,
        view: served.view,
        time: served.asOf,
        format,
        stale,
        ...(tokens !== undefined && { tokens }),
      }),
    )
    const left = new Set(made.trimmed.map(({ field }) => field))
    const shown = [...served.view.keys()].filter(field => !left.has(field) && !isSecret(desk, field))
    room.serve(session.agent, scope.read.and(new Patterns(shown)))
    await desk.house.journal.showedFields(session, room.user, 'context', shown)
    return { user: room.user, version: desk.version(room, served.seq), asOf: served.asOf, ...made }
  })

const isSecret = (desk: Desk, field: string): boolean => desk.house.schema.field(field)?.sensitivity === 'secret'

/** A word as a reader is told of it: without the numbers that would tell how much else was written. */
const wordSeen = ({ evidence, ...rest }: Explained, isTold: (name: string) => boolean) => ({
  id: 'last' in evidence ? evidence.last : evidence.id,
  ...rest,
  at: evidence.at,
  interaction: evidence.interaction,
  ...('confidence' in evidence && { confidence: evidence.confidence, trust: evidence.trust, basis: evidence.basis }),
  ...('role' in evidence && { role: evidence.role }),
  ...('task' in evidence && { task: evidence.task }),
  ...(evidence.source !== undefined && { source: evidence.source }),
  ...('why' in evidence && { why: evidence.why }),
  ...('origin' in evidence && evidence.origin && isTold(evidence.origin) && { origin: evidence.origin }),
  ...('episodes' in evidence && { words: evidence.episodes.length }),
})

/** Each word under a belief, what became of it and why, and its share now. */
export const explain = (desk: Desk, session: Session, { user, field, task, course }: ExplainRequest) =>
  desk.in(session, user, async (room, scope) => {
    if (!scope.read.has(field) || !desk.house.schema.field(field))
      throw new SelfsameError({ code: 'field_unavailable', message: `No field "${field}" that you may read.` })
    const asOf = desk.house.now()
    const evidence = room.model.field(field)
    const explained = evidence ? explainField(evidence, asOf, task) : { belief: undefined, words: [] }
    room.serve(session.agent, scope.read.and(new Patterns([field])))
    if (evidence) await desk.house.journal.showedFields(session, user, 'explain', [field])
    return {
      user,
      field,
      version: desk.version(room, room.lastReadable(scope)),
      asOf,
      belief: explained.belief ?? null,
      words: explained.words.map(word => wordSeen(word, name => desk.house.authority.scope(session, name).ok)),
      ...(course && { course: evidence ? courseOf(evidence, asOf, task) : [] }),
    }
  })
