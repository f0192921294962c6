import { unwrap } from '../../model/error.ts'
import { fitted } from '../../model/handoff/budget.ts'
import { projected } from '../../model/handoff/envelope.ts'
import { exchangeSeen } from '../../model/handoff/exchange.ts'
import type { Checkpoint, Handoff } from '../../model/handoff/handoff.ts'
import { narrate, type Story } from '../../model/handoff/narrative.ts'
import { isReadable } from '../../model/handoff/readable.ts'
import { type Work, workSeen } from '../../model/handoff/work.ts'
import { clip } from '../../model/inert.ts'
import type { Role } from '../../model/role.ts'
import type { Schema } from '../../model/schema.ts'
import type { Scope } from '../../model/scope.ts'
import type { Json } from '../../model/value.ts'
import type { View } from '../../model/view.ts'
import { type Columns, viewOf } from '../../model/wire/columns.ts'
import type { Delivery, FieldDiff, Gap } from '../../model/wire/handoff.ts'
import { o200k } from '../context/tokenizer.ts'
import type { ServedView } from '../room/view-cache.ts'
import type { Kept, ServedPaper } from './kept.ts'
import { needsIn } from './offer.ts'
import { summaryOf } from './summary.ts'

/** What a delivery is made from. */
export interface Ingredients {
  readonly schema: Schema
  readonly kept: Kept
  readonly work: Work
  readonly role: Role
  readonly scope: Scope
  readonly served: ServedView
  /** What the holder before was shown. */
  readonly before: ServedPaper | undefined
}

const MAX_QUOTE = 4_000
const MAX_DIFF = 256

/** All that the holder of some work is given, as far as it may read it; the view goes beside it. */
export function deliveryOf(given: Ingredients): Omit<Delivery, 'version'> {
  const { kept, work, role, scope, served } = given
  const { handoff, envelope } = kept
  const seen = workSeen(work, scope)
  const checkpoint = checkpointSeen(handoff, scope)
  const wanted = wantedIn(given)
  const gaps = wanted.flatMap(field => gapOf(served.view, field))
  const { text, report } = told(given, seen, checkpoint)
  return {
    user: kept.user,
    handoff: summaryOf(handoff),
    envelope: projected(envelope, scope),
    work: seen,
    checkpoint,
    exchange: exchangeSeen(handoff.exchange, scope, 'holder' in handoff.state ? handoff.state.holder.agent : ''),
    narrative: text,
    budget: report,
    gaps: [
      ...gaps,
      ...needsIn(served.view, role)
        .missing.filter(field => !wanted.includes(field))
        .map(missing),
    ],
    completeness: wanted.length === 0 ? 1 : (wanted.length - gaps.length) / wanted.length,
    since: given.before ? diffOf(given.before, served.view, scope) : null,
    asOf: served.asOf,
  }
}

/** Of its own scope only: a part that a role may not read is not there for it. */
export const checkpointSeen = ({ checkpoint }: Handoff, scope: Scope): Checkpoint | null =>
  checkpoint && isReadable(scope, checkpoint.fields) ? checkpoint : null

/** What the sender points to and what the role needs and is known, as far as it may be read. */
function wantedIn({ kept, role, scope, served }: Ingredients): string[] {
  const refs = kept.message.refs.filter(field => scope.read.has(field))
  return [...new Set([...refs, ...needsIn(served.view, role).known])]
}

function gapOf(view: View, field: string): Gap[] {
  const belief = view.get(field)
  if (!belief || belief.value === null) return [missing(field)]
  return belief.status === 'stale' ? [{ field, why: 'stale' }] : []
}

const missing = (field: string): Gap => ({ field, why: 'missing' })

/**
 * What must be told was checked against the budget when the handoff was made. What is believed may have grown since, and
 * must not make it impossible to accept: then beliefs that are pinned are told as far as they fit.
 */
function told(given: Ingredients, work: Work, checkpoint: Checkpoint | null) {
  const { strategy, tokens } = given.kept.budget
  const parts = narrate(storyOf(given, work, checkpoint))
  const whole = fitted(parts, strategy, tokens, o200k)
  if (whole.ok || strategy === 'full')
    return unwrap(whole.ok ? whole : fitted(loosened(parts), 'priority', tokens, o200k))
  return unwrap(fitted(loosened(parts), strategy, tokens, o200k))
}

const loosened = (parts: ReturnType<typeof narrate>) =>
  parts.map(part => (part.title === 'Known' ? { ...part, required: false } : part))

/** Whether what must be told fits at all, for whoever of the role may accept it. */
export function requireBudget(given: Ingredients): void {
  const { strategy, tokens } = given.kept.budget
  const seen = workSeen(given.work, given.scope)
  unwrap(fitted(narrate(storyOf(given, seen, null)), strategy, tokens, o200k))
}

function storyOf({ schema, kept, scope, served }: Ingredients, work: Work, checkpoint: Checkpoint | null): Story {
  const { reason, next, words, fields, refs } = kept.message
  const isTold = isReadable(scope, fields)
  const shown = [...served.view.keys()].filter(field => schema.field(field)?.sensitivity !== 'secret')
  const isFirst = (field: string) => refs.includes(field) || schema.field(field)?.pinned === true
  // Without a budget nothing has to be told twice: the view holds it all.
  const counted = kept.budget.tokens === null ? [] : shown.filter(field => served.view.get(field)?.status !== 'stale')
  return {
    work,
    message: isTold ? { reason, next, words } : { reason: '', next: '', words: null },
    checkpoint,
    view: served.view,
    pinned: counted.filter(isFirst),
    others: counted.filter(field => !isFirst(field)),
    quote: (text, room = MAX_QUOTE) => `"${clip(text, room).text}"`,
  }
}

/** What a view held when it was served, by field. */
export function valuesIn({ columns }: ServedPaper, scope: Scope): Map<string, Json> {
  const readable = [...viewOf(columns as Columns)].filter(([field]) => scope.read.has(field))
  return new Map(readable.map(([field, belief]) => [field, belief.value]))
}

function diffOf(paper: ServedPaper, view: View, scope: Scope): FieldDiff[] {
  const before = valuesIn(paper, scope)
  const fields = new Set([...before.keys(), ...view.keys()])
  const diff = [...fields].map(field => ({
    field,
    before: before.get(field) ?? null,
    now: view.get(field)?.value ?? null,
  }))
  return diff.filter(each => JSON.stringify(each.before) !== JSON.stringify(each.now)).slice(0, MAX_DIFF)
}
