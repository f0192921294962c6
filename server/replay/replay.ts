import { LRUCache } from 'lru-cache'
import type { Belief } from '../../model/belief.ts'
import { type Refusal, unwrap } from '../../model/error.ts'
import { isKnown, isTold } from '../../model/known.ts'
import type { Role } from '../../model/role.ts'
import type { Schema } from '../../model/schema.ts'
import type { Json } from '../../model/value.ts'
import type { LogLine, Said } from './log-line.ts'
import { type Holding, type Mention, Person } from './person.ts'

/**
 * What users were made to say after a handoff. The first time that a holder asks for a field, or records it as heard from the
 * user, is one question; its answer belongs to it.
 */
export interface Questions {
  /** The holder could have read the very value. */
  readonly repeats: number
  /** It could have read a value, and the user said another: to go by it would have been wrong. */
  readonly otherwise: number
  /** Nothing it could have read. */
  readonly news: number
}

export interface Replayed {
  readonly lines: number
  /** At most MAX_COUNTED are told apart. */
  readonly users: number
  readonly handoffs: number
  readonly from: number | null
  readonly to: number | null
  readonly questions: Questions
  readonly fields: { readonly [field: string]: Questions }
  /** Lines that the schema does not take, by reason; the first of them with their numbers. */
  readonly leftOut: { readonly count: number; readonly first: readonly LeftOut[] }
  /** Times that a user was put away to make room for others. Of those that come back fewer repeats are counted. */
  readonly putAway: number
}

export interface LeftOut {
  readonly line: number
  readonly why: string
}

type Kind = keyof Questions

const MAX_USERS = 20_000
const MAX_COUNTED = 1_000_000
const MAX_LISTED = 10
const NONE: Questions = { repeats: 0, otherwise: 0, news: 0 }

/** Goes through a log as if every agent in it had read and written one self-model a user. */
export class Replay {
  readonly #schema: Schema
  readonly #people: LRUCache<string, Person>
  readonly #fields = new Map<string, Questions>()
  readonly #users = new Set<string>()
  readonly #first: LeftOut[] = []
  #lines = 0
  #handoffs = 0
  #from: number | null = null
  #to: number | null = null
  #leftOut = 0
  #putAway = 0

  constructor(schema: Schema, atHand = MAX_USERS) {
    this.#schema = schema
    this.#people = new LRUCache<string, Person>({
      max: atHand,
      dispose: (_person, _user, reason) => {
        if (reason === 'evict') this.#putAway++
      },
    })
  }

  /** Throws, with the roles there are, when the line names none of them. */
  take(number: number, line: LogLine): void {
    const role = unwrap(this.#schema.role(line.role))
    const agent = line.agent ?? line.role
    this.#lines++
    this.#from = Math.min(this.#from ?? line.at, line.at)
    this.#to = Math.max(this.#to ?? line.at, line.at)
    const person = this.#person(line.user)
    if (line.type === 'handoff') this.#handOver(person, agent, role)
    else if (!this.#schema.field(line.field)) this.#leave(number, `the schema has no field "${line.field}"`)
    else if (line.type === 'ask') this.#asked(person, agent, line)
    else this.#said(number, person, agent, role, line)
  }

  get result(): Replayed {
    const fields = Object.fromEntries([...this.#fields].sort(mostRepeated))
    return {
      lines: this.#lines,
      users: this.#users.size,
      handoffs: this.#handoffs,
      from: this.#from,
      to: this.#to,
      questions: Object.values(fields).reduce(sum, NONE),
      fields,
      leftOut: { count: this.#leftOut, first: this.#first },
      putAway: this.#putAway,
    }
  }

  #person(user: string): Person {
    const known = this.#people.get(user)
    if (known) return known
    const person = new Person(this.#schema)
    this.#people.set(user, person)
    if (this.#users.size < MAX_COUNTED) this.#users.add(user)
    return person
  }

  #handOver(person: Person, agent: string, role: Role): void {
    this.#handoffs++
    person.holding = { agent, role, mentioned: new Map() }
  }

  #asked(person: Person, agent: string, ask: LogLine & { type: 'ask' }): void {
    const holding = heldBy(person, agent)
    if (!holding || holding.mentioned.has(ask.field)) return
    const known = knownIn(person.believed(holding.role, ask))
    holding.mentioned.set(ask.field, { kind: 'asked', known })
    this.#count(ask.field, known ? 'repeats' : 'news', 1)
  }

  #said(number: number, person: Person, agent: string, role: Role, said: Said): void {
    const holding = heldBy(person, agent)
    const known = holding && knownIn(person.believed(holding.role, said))
    const heard = person.hear(role, agent, said)
    if (!heard.ok) this.#leave(number, whyOf(heard.error))
    else if (holding) this.#mentioned(holding, said, known)
  }

  #mentioned({ mentioned }: Holding, said: Said, known: Belief | undefined): void {
    const before = mentioned.get(said.field)
    const isHeard = said.basis === 'heard' && !said.not
    if (before?.kind === 'asked' && isHeard) this.#answered(said, before)
    else if (!before && isHeard) this.#count(said.field, this.#kindOf(said, known), 1)
    if (before?.kind !== 'asked' || isHeard) mentioned.set(said.field, { kind: isHeard ? 'heard' : 'told', known })
  }

  /** What was asked for as known proves to be so, or not. */
  #answered(said: Said, { known }: Mention): void {
    this.#count(said.field, known ? 'repeats' : 'news', -1)
    this.#count(said.field, this.#kindOf(said, known), 1)
  }

  #kindOf({ field: name, value }: Said, known: Belief | undefined): Kind {
    const field = this.#schema.field(name)
    if (!known || !field) return 'news'
    if (isTold(field, known, value as Json)) return 'repeats'
    return field.kind === 'set' ? 'news' : 'otherwise'
  }

  #count(field: string, kind: Kind, by: number): void {
    const questions = this.#fields.get(field) ?? NONE
    this.#fields.set(field, { ...questions, [kind]: questions[kind] + by })
  }

  #leave(line: number, why: string): void {
    this.#leftOut++
    if (this.#first.length < MAX_LISTED) this.#first.push({ line, why })
  }
}

const heldBy = ({ holding }: Person, agent: string): Holding | undefined =>
  holding?.agent === agent ? holding : undefined

const knownIn = (belief: Belief | undefined): Belief | undefined => (isKnown(belief) ? belief : undefined)

const whyOf = ({ code, message }: Refusal): string => `${message} (${code})`

const sum = (a: Questions, b: Questions): Questions => ({
  repeats: a.repeats + b.repeats,
  otherwise: a.otherwise + b.otherwise,
  news: a.news + b.news,
})

const mostRepeated = ([a, x]: [string, Questions], [b, y]: [string, Questions]): number =>
  y.repeats - x.repeats || y.otherwise - x.otherwise || (a < b ? -1 : 1)
