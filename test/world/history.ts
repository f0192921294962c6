import fc from 'fast-check'
import { admit, admitRetraction, type Served, type Speaker } from '../../model/admission.ts'
import { BASES } from '../../model/definition.ts'
import { unwrap } from '../../model/error.ts'
import type { Evidence, Word } from '../../model/evidence.ts'
import type { Field } from '../../model/field.ts'
import type { Schema } from '../../model/schema.ts'
import { scopeOf } from '../../model/scope.ts'
import type { Json } from '../../model/value.ts'
import type { Sampled } from './schema.ts'

/** When the first word of a history is said. */
const START = 1_900_000_000_000

/** Waits and moments named by what they are measured in, so that words fall exactly on the boundaries that matter. */
const SPANS = [
  'none',
  'tick',
  'idle',
  'after idle',
  'hold',
  'before hold',
  'half-life',
  'late',
  'before late',
  'era',
] as const
type Span = (typeof SPANS)[number]
const SHORT: readonly Span[] = ['none', 'none', 'tick', 'tick', 'idle', 'after idle', 'after idle', 'half-life']

export interface Say {
  readonly type: 'say'
  readonly wait: Span
  readonly who: number
  readonly field: number
  readonly value: number
  readonly not: boolean
  readonly confidence: number | undefined
  readonly basis: (typeof BASES)[number]
  /** Said now, a span ago, or a span after an earlier word was. */
  readonly at: { readonly after: number | undefined; readonly span: Span }
  readonly interaction: number
  readonly task: number
  readonly source: number
  readonly restates: boolean
  /** By an agent that has lost all trust. */
  readonly distrusted: boolean
}

export interface Retract {
  readonly type: 'retract'
  readonly wait: Span
  readonly who: number
  readonly whose: number
  readonly interaction: number
  readonly source: number
  readonly field: number
}

export type Event = Say | Retract

/** Few of everything, so that registers, times and values collide. */
export const PEOPLE = ['hana', 'hugo', 'subject'] as const
export const AGENTS = ['a1', 'a2', 'a3'] as const
const WHO = [...AGENTS, ...PEOPLE]
const TRUST: Record<string, number> = { a1: 1, a2: 0.6, a3: 0.9, hana: 1, hugo: 0.6, subject: 1 }
const ROLE: Record<string, string> = { hana: 'human', hugo: 'human', subject: 'subject' }
export const TASKS = [undefined, 't1', 't2'] as const
const INTERACTIONS = [undefined, 'i1', 'i2'] as const
const SOURCES = [undefined, 's1'] as const

const nth = (max: number) => fc.nat({ max: max - 1 })

export const says: fc.Arbitrary<Say> = fc.record(
  {
    type: fc.constant('say' as const),
    wait: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...SHORT) }, fc.constantFrom(...SPANS)),
    who: nth(WHO.length),
    field: nth(3),
    value: nth(4),
    not: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
    confidence: fc.constantFrom(undefined, 0.05, 0.3, 0.5, 0.6, 0.6, 0.76, 0.9, 0.95, 1),
    basis: fc.constantFrom(...BASES),
    at: fc.record(
      { after: fc.option(nth(6), { nil: undefined, freq: 2 }), span: fc.constantFrom('none' as Span, ...SPANS) },
      { noNullPrototype: true },
    ),
    interaction: nth(INTERACTIONS.length),
    task: nth(TASKS.length),
    source: nth(SOURCES.length),
    restates: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
    distrusted: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.constant(true)),
  },
  { noNullPrototype: true },
)

export const retracts: fc.Arbitrary<Retract> = fc.record(
  {
    type: fc.constant('retract' as const),
    wait: fc.constantFrom(...SHORT),
    who: nth(WHO.length),
    whose: nth(WHO.length + 1),
    interaction: nth(INTERACTIONS.length),
    source: nth(SOURCES.length),
    field: nth(4),
  },
  { noNullPrototype: true },
)

const scattered = (maxLength: number): fc.Arbitrary<Event[]> =>
  fc.array(fc.oneof({ weight: 9, arbitrary: says }, { weight: 1, arbitrary: retracts }), { maxLength })

/** What a history is told in. Of the full one everything is rare; of a narrow one the same is said over and over. */
interface Palette {
  readonly who: readonly number[]
  readonly field: readonly number[]
  readonly value: readonly number[]
  readonly interaction: readonly number[]
  readonly task: readonly number[]
  readonly source: readonly number[]
  /** Everything is said as it happens. */
  readonly punctual: boolean
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

const FULL: Palette = {
  who: upTo(WHO.length),
  field: upTo(3),
  value: upTo(4),
  interaction: upTo(INTERACTIONS.length),
  task: upTo(TASKS.length),
  source: upTo(SOURCES.length),
  punctual: false,
}

const some = (all: readonly number[], maxLength: number) =>
  fc.shuffledSubarray([...all], { minLength: 1, maxLength: Math.min(maxLength, all.length) })

const narrow: fc.Arbitrary<Palette> = fc.record(
  {
    who: some(FULL.who, 3),
    field: some(FULL.field, 1),
    value: some(FULL.value, 2),
    interaction: some(FULL.interaction, 1),
    task: some(FULL.task, 2),
    source: some(FULL.source, 2),
    punctual: fc.boolean(),
  },
  { noNullPrototype: true },
)

const palettes: fc.Arbitrary<Palette> = fc.oneof(fc.constant(FULL), narrow)

const from = (choice: readonly number[], index: number): number => choice[index % choice.length] as number

function painted(event: Event, palette: Palette): Event {
  const who = from(palette.who, event.who)
  if (event.type === 'retract') return { ...event, who }
  return {
    ...event,
    who,
    field: from(palette.field, event.field),
    value: from(palette.value, event.value),
    interaction: from(palette.interaction, event.interaction),
    task: from(palette.task, event.task),
    source: from(palette.source, event.source),
    ...(palette.punctual && { at: { after: undefined, span: 'none' } }),
  }
}

export const events = (maxLength = 14): fc.Arbitrary<Event[]> =>
  fc.tuple(palettes, scattered(maxLength)).map(([palette, all]) => all.map(event => painted(event, palette)))

/** A history with pauses: each chapter is told in the same palette. */
export const chapters = <P>(pause: fc.Arbitrary<P>): fc.Arbitrary<(readonly [Event[], P])[]> =>
  fc
    .tuple(palettes, fc.array(fc.tuple(scattered(9), pause), { minLength: 1, maxLength: 4 }))
    .map(([palette, told]) => told.map(([all, wait]) => [all.map(event => painted(event, palette)), wait] as const))

/** Values of each kind; close numbers, and records that differ in the order of their keys only. */
const VALUES: Record<Field['kind'], readonly Json[]> = {
  choice: ['a', 'b', 'c', 'a'],
  flag: [true, false, true, false],
  set: ['x', 'y', 'z', 'x'],
  number: [10, 10.5, 11, 1000],
  text: ['blue', 'red', 'green', 'blue'],
  record: [{ os: 'mac', v: 1 }, { os: 'linux' }, { v: 1, os: 'mac' }, { nested: { deep: [1, null] } }],
}

export const sayable = (field: Field, index: number): Json => VALUES[field.kind][index % 4] as Json

/** An observation as an agent sends it. */
export interface Said {
  readonly field: string
  readonly interaction?: string
  readonly [key: string]: unknown
}

interface Running {
  readonly episode: string
  readonly received: number
}

/** A store without a store: stamps what is said as a server would, and keeps what is admitted. */
export class World {
  readonly schema: Schema
  readonly names: readonly string[]
  readonly evidence: Evidence[] = []
  readonly words: Word[] = []
  now = START
  seq = 0
  readonly #running = new Map<string, Running>()

  constructor({ schema, names }: Sampled) {
    this.schema = schema
    this.names = names
  }

  /** Whether a word received now would still join the episode. */
  readonly isOpen = (episode: string): boolean =>
    [...this.#running.values()].some(
      running => running.episode === episode && this.now - running.received <= this.schema.settings.idle,
    )

  live(happenings: readonly Event[]): this {
    for (const event of happenings) this.happen(event)
    return this
  }

  happen(event: Event): readonly Evidence[] {
    return event.type === 'say' ? this.#say(event) : this.#retract(event)
  }

  wait(span: Span, name = this.names[0] as string): void {
    this.now += this.spanOf(span, this.fieldOf(name))
  }

  fieldOf(name: string): Field {
    const field = this.schema.field(name)
    if (!field) throw new Error(`no field ${name}`)
    return field
  }

  speaker(who: string, trust = TRUST[who] ?? 1): Speaker {
    const role = unwrap(this.schema.role(ROLE[who] ?? 'agent'))
    return { agent: who, role, trust, scope: scopeOf(role) }
  }

  /** Admits an observation as it stands; throws when it is refused. */
  observe(who: string, input: Said, served: Partial<Served> = {}, speaker = this.speaker(who)): Word[] {
    const interaction = input.interaction ?? `@${who}`
    const stamp = {
      id: `w${this.seq + 1}`,
      received: this.now,
      seq: ++this.seq,
      episode: this.#episode(interaction),
      served: { values: served.values ?? [], denied: served.denied ?? [] },
    }
    const words = unwrap(admit(this.schema, speaker, input, stamp))
    this.#running.set(interaction, { episode: stamp.episode, received: this.now })
    this.evidence.push(...words)
    this.words.push(...words)
    return words
  }

  spanOf(span: Span, field: Field): number {
    const { idle, late } = this.schema.settings
    const finite = (ms: number) => (Number.isFinite(ms) ? ms : late)
    switch (span) {
      case 'none':
        return 0
      case 'tick':
        return 1
      case 'idle':
        return idle
      case 'after idle':
        return idle + 1
      case 'hold':
        return finite(field.hold)
      case 'before hold':
        return Math.max(0, finite(field.hold) - 1)
      case 'half-life':
        return finite(field.halfLife)
      case 'late':
        return late
      case 'before late':
        return late - 1
      case 'era':
        return 64 * finite(field.halfLife)
    }
  }

  #say(event: Say): Word[] {
    const name = this.names[event.field % this.names.length] as string
    const field = this.fieldOf(name)
    this.wait(event.wait, name)
    const who = WHO[event.who] as string
    const value = sayable(field, event.value)
    const mayDeny = who in ROLE || field.kind === 'flag' || field.kind === 'set'
    const not = event.not && mayDeny
    const served = event.restates ? { values: [value, !value], denied: [value] } : {}
    return this.observe(
      who,
      { ...this.#told(event), field: name, ...{ value, not, at: this.#at(event, field) } },
      served,
      this.speaker(who, event.distrusted ? 0 : undefined),
    )
  }

  #told({ confidence, basis, interaction, task, source }: Say) {
    const given = { confidence, basis, task: TASKS[task], source: SOURCES[source] }
    const named = INTERACTIONS[interaction]
    return { ...given, ...(named && { interaction: named }) }
  }

  /** Within what admission takes: these laws are about what was admitted. */
  #at({ at }: Say, field: Field): number {
    const { late, skew } = this.schema.settings
    const span = this.spanOf(at.span, field)
    const earlier = at.after === undefined ? undefined : this.words.at(-1 - at.after)
    const meant = earlier ? earlier.at + span : this.now - span
    return Math.min(Math.max(meant, this.now - late), this.now + skew)
  }

  #retract(event: Retract): Evidence[] {
    this.wait(event.wait)
    const speaker = this.speaker(WHO[event.who] as string)
    const isPerson = speaker.role.authority !== 'agent'
    const name = event.field < this.names.length ? this.names[event.field] : undefined
    const agent = isPerson ? WHO[event.whose] : speaker.agent
    const request = { agent, interaction: INTERACTIONS[event.interaction], source: SOURCES[event.source], field: name }
    const stamp = { id: `r${this.seq + 1}`, received: this.now, seq: this.seq + 1 }
    const admitted = admitRetraction(speaker, request, stamp)
    if (!admitted.ok) return []
    this.seq++
    this.evidence.push(admitted.value)
    return [admitted.value]
  }

  #episode(interaction: string): string {
    const running = this.#running.get(interaction)
    if (running && this.now - running.received <= this.schema.settings.idle) return running.episode
    return `${interaction}#${this.seq + 1}`
  }
}
