import { z } from 'zod'
import { ok, type Result, refuse } from '../error.ts'
import type { Scope } from '../scope.ts'
import type { Party } from './party.ts'
import {
  type Agreement,
  agreementShape,
  type Decision,
  decisionShape,
  type Note,
  noteShape,
  type Piece,
  type Thread,
  type ThreadGiven,
  tags,
  threadShape,
  type Validation,
  type ValidationGiven,
  validationShape,
} from './piece.ts'
import { isReadable } from './readable.ts'

/** What is being done for a user, from the first holder to the last. Intent never changes; the lists of constraints, exclusions, agreements and decisions only grow. */
export interface Work {
  readonly id: string
  readonly user: string
  readonly task: string | null
  readonly intent: Intent
  readonly constraints: readonly Rule[]
  readonly exclusions: readonly Rule[]
  readonly threads: readonly Thread[]
  readonly validations: readonly Validation[]
  readonly environment: readonly Note[]
  readonly agreements: readonly Agreement[]
  readonly history: readonly Decision[]
  /** Handoffs in the order they were made. */
  readonly chain: readonly string[]
  /** What a newer sender said that is not known here: kept, and passed on. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** The user's own words, and what they want to have at the end. */
export interface Intent {
  readonly words: string
  readonly goal: string | null
}

export interface Rule {
  readonly text: string
  readonly by: Party
  readonly hop: number
}

/** What a holder reports of its work at once. */
export const reportShape = z.strictObject({
  threads: z.array(threadShape).max(32).optional(),
  validations: z.array(validationShape).max(32).optional(),
  environment: z.array(noteShape).max(32).optional(),
  agreements: z.array(agreementShape).max(32).optional(),
  decisions: z.array(decisionShape).max(32).optional(),
  /** Fields that the user was asked for. */
  asked: tags.optional(),
})

export type Report = z.infer<typeof reportShape>

/** Who reports, what they may read, when, and how a piece without an id is called. */
export interface Reporting {
  readonly by: Party
  readonly scope: Scope
  readonly now: number
  readonly newId: () => string
}

const MAX_PIECES = 256
const MAX_WORK_CHARS = 131_072

/** The work with what was reported put in: a piece that is known is updated, any other is added. */
export function reported(work: Work, report: Report, by: Reporting): Result<Work> {
  const next: Work = {
    ...work,
    threads: put(work.threads, report.threads, by, threadOf),
    validations: put(work.validations, report.validations, by, validationOf),
    environment: put(work.environment, report.environment, by, (_, given) => ({ text: given.text })),
    agreements: put(work.agreements, report.agreements, by, (known, given) => ({ text: known?.text ?? given.text })),
    history: put(work.history, report.decisions, by, (known, { what, why }) => ({
      what: known?.what ?? what,
      why: known?.why ?? why,
    })),
  }
  const nameless = next.threads.some(({ goal }) => goal === '') || next.validations.some(({ what }) => what === '')
  if (nameless) return refuse('bad_request', 'A new thread needs a `goal`, a new validation a `what`.')
  return within(next)
}

export function within(work: Work): Result<Work> {
  const lists = [work.threads, work.validations, work.environment, work.agreements, work.history]
  if (lists.some(list => list.length > MAX_PIECES))
    return refuse('too_large', `Work holds at most ${MAX_PIECES} pieces of a kind.`)
  if (JSON.stringify(work).length > MAX_WORK_CHARS)
    return refuse('too_large', `Work holds at most ${MAX_WORK_CHARS} characters.`)
  return ok(work)
}

/**
 * A piece that its reporter can't read is not there for it: what it says under the same id is a piece of its own, so that
 * neither is a hidden one changed nor does anything tell that there is one.
 */
function put<G extends { id?: string | undefined; fields?: string[] | undefined }, P extends Piece>(
  pieces: readonly P[],
  given: readonly G[] | undefined,
  { by, scope, now, newId }: Reporting,
  make: (known: P | undefined, given: G) => Omit<P, keyof Piece>,
): readonly P[] {
  if (!given) return pieces
  const next = [...pieces]
  for (const each of given) {
    const at = next.findIndex(piece => piece.id === each.id && isReadable(scope, piece.fields))
    const known = next[at]
    const common: Piece = {
      id: each.id ?? newId(),
      fields: union(known?.fields ?? [], each.fields ?? []),
      by: known?.by ?? by,
      at: known?.at ?? now,
      updated: now,
    }
    const made = { ...common, ...make(known, each) } as P
    if (known) next[at] = made
    else next.push(made)
  }
  return next
}

const threadOf = (known: Thread | undefined, given: ThreadGiven): Omit<Thread, keyof Piece> => ({
  goal: given.goal ?? known?.goal ?? '',
  status: given.status ?? known?.status ?? 'open',
  approach: given.approach ?? known?.approach ?? '',
  assumptions: given.assumptions ?? known?.assumptions ?? [],
  deadEnds: union(known?.deadEnds ?? [], given.deadEnds ?? []),
  urgency: given.urgency ?? known?.urgency ?? 0.5,
  fragility: given.fragility ?? known?.fragility ?? 0.5,
  links: [
    ...(known?.links ?? []).filter(({ field }) => !given.links?.some(link => link.field === field)),
    ...(given.links ?? []),
  ],
})

const validationOf = (known: Validation | undefined, given: ValidationGiven): Omit<Validation, keyof Piece> => ({
  what: given.what ?? known?.what ?? '',
  status: given.status ?? known?.status ?? 'pending',
  due: given.due ?? known?.due ?? null,
})

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])]

/** Rules are only ever added; one that is there already is not there twice. */
export const withRules = (
  rules: readonly Rule[],
  texts: readonly string[],
  by: Party,
  hop: number,
): readonly Rule[] => {
  const fresh = [...new Set(texts)].filter(text => !rules.some(rule => rule.text === text))
  return [...rules, ...fresh.map(text => ({ text, by, hop }))]
}

/** The work as one scope may see it: pieces it may read, and of these the links it may read. */
export const workSeen = (work: Work, scope: Scope): Work => {
  const seen = <P extends Piece>(pieces: readonly P[]): readonly P[] =>
    pieces.filter(({ fields }) => isReadable(scope, fields))
  return {
    ...work,
    threads: triaged(seen(work.threads)).map(thread => ({
      ...thread,
      links: thread.links.filter(({ field }) => scope.read.has(field)),
    })),
    validations: seen(work.validations),
    environment: seen(work.environment),
    agreements: seen(work.agreements),
    history: seen(work.history),
  }
}

const OVER: ReadonlySet<Thread['status']> = new Set(['done', 'dropped'])

/** What to pick up first: urgency × fragility, then age; what is over comes last. */
export const triaged = (threads: readonly Thread[]): readonly Thread[] =>
  [...threads].sort(
    (a, b) =>
      Number(OVER.has(a.status)) - Number(OVER.has(b.status)) ||
      b.urgency * b.fragility - a.urgency * a.fragility ||
      a.at - b.at ||
      (a.id < b.id ? -1 : 1),
  )
