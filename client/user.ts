import { SelfsameError } from '../model/error.ts'
import type { Definition } from '../model/infer.ts'
import type { AliasesAnswer } from '../model/wire/alias.ts'
import type { AuditAnswer, AuditKind } from '../model/wire/audit.ts'
import type { ExportAnswer } from '../model/wire/export.ts'
import type { Board } from './board.ts'
import type { Calls } from './calls.ts'
import type { Clock } from './clock.ts'
import type { Entry, Under, Withdrawn } from './entry.ts'
import type { Errands } from './errands.ts'
import type { BeliefOf, ByField, Circumstances, FieldName, Listed, Sayable } from './fields.ts'
import type { Answers, ContextAnswer, ExplainAnswer } from './frame.ts'
import { newId } from './id.ts'
import type { Outbox } from './outbox.ts'
import type { Written } from './outcome.ts'
import { fail, type ListenOptions, outside } from './outside.ts'
import type { Replica, ReplicaOptions } from './replica/replica.ts'
import { itemsOf, type Spoken, spoken } from './said.ts'
import { UserModel } from './user-model.ts'
import type { Versions } from './versions.ts'
import { Watch } from './watch.ts'
import type { Watches } from './watches.ts'

export interface ObserveOptions extends Circumstances {
  /** All or nothing. */
  readonly atomic?: boolean
}

export interface AtLeast {
  /** A version to see at least. Left out: the last this side was told of, own writes included. null: whatever is there. */
  readonly atLeast?: string | null
}

export interface ModelOptions extends AtLeast {
  /** Field patterns: `need.*`, `**`, `!billing.**`. */
  readonly fields?: readonly string[]
  readonly minConfidence?: number
  readonly task?: string
  /** A role: what it would see of what this agent may read itself. For roles with the action `view_as`. */
  readonly as?: string
}

export interface ContextOptions extends AtLeast {
  readonly tokens?: number
  readonly task?: string
  /** Whether what is stale belongs into it. */
  readonly stale?: boolean
}

export interface ExplainOptions {
  readonly task?: string
  /** Whether to tell how the belief came to be over time and how it will fade. */
  readonly course?: boolean
}

export type JsonContext = Extract<ContextAnswer, { format: 'json' }>

export interface AuditOptions {
  /** Times, in milliseconds since 1970. */
  readonly from?: number
  readonly to?: number
  readonly kind?: AuditKind
  /** Who did it. */
  readonly agent?: string
  readonly limit?: number
  /** The `next` of the answer before. */
  readonly cursor?: string
}

/** What to take back: the words that match all that is given. */
export type RetractOptions = Omit<Withdrawn, 'id'> & { readonly id?: string }

export interface WatchOptions extends ListenOptions {
  readonly task?: string
}

/** What changed, by field; `null`: nothing is believed of it any more. */
export interface Change<D extends Definition> {
  readonly user: string
  readonly version: string
  readonly asOf: number
  readonly beliefs: { readonly [Name in FieldName<D>]?: BeliefOf<D, Name> | null }
}

/** What a user's handle takes from its desk. */
export interface Shared {
  readonly agent: string
  readonly isPerson: () => boolean
  readonly calls: Calls
  readonly outbox: Outbox
  readonly watches: Watches
  readonly versions: Versions
  readonly clock: Clock
  readonly replica: <D extends Definition>(user: string, options: ReplicaOptions) => Promise<Replica<D>>
  readonly errands: Errands
  readonly board: Board
  /** The handoff that writes are made by. */
  readonly under?: Under
}

/** One user, as this agent sees and describes them. It holds nothing: make as many as you like. */
export class User<D extends Definition> {
  readonly id: string
  readonly #shared: Shared

  constructor(id: string, shared: Shared) {
    this.id = id
    this.#shared = shared
  }

  /**
   * Resolves when everything said was admitted and is durable; rejects with a `RefusedError` when anything was refused.
   * The options hold for each observation that does not say otherwise.
   */
  async observe(
    said: ByField<D> | readonly Listed<D>[],
    { atomic = false, ...common }: ObserveOptions = {},
  ): Promise<Written> {
    const observations = this.#spoken(itemsOf(said), common)
    return this.#write({ ...this.#kept(), op: 'observe', observations, ...(atomic && { atomic }) })
  }

  /** A person's word: it sets aside what disagreed. */
  async correct<Name extends FieldName<D>>(
    field: Name,
    value: Sayable<D, Name>,
    circumstances: Circumstances = {},
  ): Promise<Written> {
    const corrections = this.#spoken([{ field, value }], circumstances)
    return this.#write({ ...this.#kept(), op: 'correct', corrections })
  }

  /** It is not so, whatever else may be. A person may deny any value, an agent those of flags and sets. */
  async deny<Name extends FieldName<D>>(
    field: Name,
    value: Sayable<D, Name>,
    circumstances: Circumstances = {},
  ): Promise<Written> {
    const denials = this.#spoken([{ field, value, not: true }], circumstances)
    if (!this.#shared.isPerson()) return this.#write({ ...this.#kept(), op: 'observe', observations: denials })
    return this.#write({ ...this.#kept(), op: 'correct', corrections: denials })
  }

  async retract(what: RetractOptions): Promise<Written> {
    const retraction = { ...what, id: what.id ?? newId() }
    return this.#write({ ...this.#kept(), op: 'retract', retraction })
  }

  async model(options: ModelOptions = {}): Promise<UserModel<D>> {
    return new UserModel<D>(await this.#read('model', options))
  }

  /** What to tell a language model of the user, within a number of tokens. */
  context(options?: ContextOptions & { readonly format?: 'markdown' }): Promise<string>
  context(options: ContextOptions & { readonly format: 'json' }): Promise<JsonContext>
  async context(
    options: ContextOptions & { readonly format?: 'markdown' | 'json' } = {},
  ): Promise<string | JsonContext> {
    const answer = await this.#read('context', options)
    return answer.format === 'json' ? answer : answer.text
  }

  /** Each word under a belief, what became of it and why. */
  explain(field: FieldName<D>, options: ExplainOptions = {}): Promise<ExplainAnswer> {
    return this.#shared.calls.call('explain', { user: this.id, field, ...options })
  }

  /** Who saw, said or did what of the user, the latest first. For the user, and for roles with the action `audit`. */
  audit(options: AuditOptions = {}): Promise<AuditAnswer> {
    return this.#shared.calls.call('audit', { user: this.id, ...options })
  }

  /** Erases everything known of the user, for good. For the user, and for roles with the action `erase`. */
  async erase(): Promise<void> {
    await this.#shared.calls.call('erase', { user: this.id })
  }

  /** Everything that is kept of the user, for programs, or for a person to read. */
  export(options?: { readonly format?: 'json' }): Promise<ExportAnswer>
  export(options: { readonly format: 'markdown' }): Promise<string>
  async export(options: { readonly format?: 'json' | 'markdown' } = {}): Promise<ExportAnswer | string> {
    const answer = await this.#shared.calls.call('export', { user: this.id, ...options })
    return 'text' in answer ? answer.text : answer
  }

  /** Another name of the same person: what is known of it is known of this user from now on, until it is parted. */
  join(alias: string): Promise<AliasesAnswer> {
    return this.#shared.errands.run('join', { user: this.id, alias })
  }

  /** Undoes a join exactly. */
  part(alias: string): Promise<AliasesAnswer> {
    return this.#shared.errands.run('part', { user: this.id, alias })
  }

  aliases(): Promise<AliasesAnswer> {
    return this.#shared.calls.call('aliases', { user: this.id })
  }

  /**
   * Tells what is believed now, if anything, and then what changes, also across lost connections: together the changes
   * add up to the state. Returns what stops it.
   */
  watch(fields: readonly string[], listener: (change: Change<D>) => void, options: WatchOptions = {}): () => void {
    const { watches } = this.#shared
    const watch = new Watch(this.id, fields, options.task, {
      // As with `get`: what the server believes fits the fields of its schema.
      change: change => outside(() => listener(change as Change<D>)),
      error: error => outside(() => fail(error, options.onError)),
    })
    watches.add(watch)
    return () => watches.remove(watch)
  }

  /** A live copy: reads without the network, own words included, and writes that wait for it. */
  replica(options: ReplicaOptions = {}): Promise<Replica<D>> {
    return this.#shared.replica(this.id, options)
  }

  /** Shows at least what this side has been told of, so that it reads what it wrote wherever it is read. */
  async #read<Op extends 'model' | 'context'>(
    op: Op,
    { atLeast, ...question }: AtLeast & Pick<ModelOptions, 'as'>,
  ): Promise<Answers[Op]> {
    const { calls, versions } = this.#shared
    const own = versions.of(this.id)
    const asked = atLeast === undefined ? own : (atLeast ?? undefined)
    try {
      const answer = await calls.call(op, { user: this.id, ...question, atLeast: asked })
      // The version of what another role would see may be of before one's own last write.
      if (question.as === undefined) versions.read(this.id, asked, answer.version)
      return answer
    } catch (error) {
      if (atLeast === undefined && own !== undefined && isOutOfReach(error)) versions.forget(this.id, own)
      throw error
    }
  }

  #spoken(items: Parameters<typeof spoken>[0], common: Circumstances): readonly Spoken[] {
    return spoken(items, common, this.#shared.clock.now())
  }

  #kept(): { key: string; agent: string; user: string; under?: Under } {
    const { agent, under } = this.#shared
    return { key: newId(), agent, user: this.id, ...(under && { under }) }
  }

  #write(entry: Entry): Promise<Written> {
    return this.#shared.outbox.write(entry)
  }
}

/** A server that was restored, or set up anew, never gets to a version of before. */
const isOutOfReach = (error: unknown): boolean =>
  error instanceof SelfsameError && (error.code === 'not_yet' || error.code === 'bad_request')
