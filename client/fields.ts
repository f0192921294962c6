import type { Belief } from '../model/belief.ts'
import type { Basis } from '../model/definition.ts'
import type { Definition, FieldOf, ValueOf } from '../model/infer.ts'
import type { Alternative } from '../model/opinion.ts'
import type { Json } from '../model/value.ts'

/** What TypeScript knows of fields and values: all of it with a model from `defineModel`, strings and JSON without. */

type Untyped<D extends Definition> = string extends keyof D['fields'] ? true : false

export type FieldName<D extends Definition> = Untyped<D> extends true ? string : FieldOf<D>

/** The names one field or family of the model stands for. */
type NamesOf<D extends Definition, Key extends keyof D['fields'] & string> = FieldOf<{
  readonly fields: { readonly [K in Key]: D['fields'][K] }
  readonly roles: D['roles']
}>

type KindOf<D extends Definition, Name extends string> = {
  [Key in keyof D['fields'] & string]: Name extends NamesOf<D, Key> ? D['fields'][Key]['kind'] : never
}[keyof D['fields'] & string]

/** What one word about the field may say; of a set, one element. */
export type Value<D extends Definition, Name extends FieldName<D>> =
  Untyped<D> extends true ? Json : Name extends FieldOf<D> ? ValueOf<D, Name> : never

/** What can be said in one observation: of a set also several elements. */
export type Sayable<D extends Definition, Name extends FieldName<D>> =
  KindOf<D, Name> extends 'set' ? Value<D, Name> | readonly Value<D, Name>[] : Value<D, Name>

/** What is believed: of a set the elements that are in it. */
type Held<D extends Definition, Name extends FieldName<D>> =
  Untyped<D> extends true ? Json : KindOf<D, Name> extends 'set' ? readonly Value<D, Name>[] : Value<D, Name>

export interface BeliefOf<D extends Definition, Name extends FieldName<D>>
  extends Omit<Belief, 'value' | 'alternatives' | 'denied'> {
  /** null when nothing is believed, only denied or held back. */
  readonly value: Held<D, Name> | null
  readonly alternatives: readonly (Omit<Alternative, 'value'> & { readonly value: Value<D, Name> })[]
  readonly denied: readonly Value<D, Name>[]
}

/** What may be said along with a value. `null` is as good as left out: strict output of a language model is full of it. */
export interface Circumstances {
  readonly confidence?: number | null | undefined
  readonly basis?: Basis | null | undefined
  /** When it was so, in milliseconds since 1970 or as ISO 8601 with an offset. Left out: now, by the server's clock. */
  readonly at?: number | string | null | undefined
  readonly interaction?: string | null | undefined
  readonly task?: string | null | undefined
  readonly source?: string | null | undefined
  readonly why?: string | null | undefined
}

/** A value with its circumstances. `not`: it is not so. */
export interface Said<V> extends Circumstances {
  readonly value: V
  readonly not?: boolean | null | undefined
  readonly id?: string | null | undefined
}

/** A record must be wrapped as `{ value: record }`: alone it could not be told from a value with circumstances. */
type Bare<V> = V extends readonly unknown[] ? V : V extends object | null ? never : V

/** `{ 'need.issue': 'refund', 'emotion.state': { value: 'angry', confidence: 0.9 } }` */
export type ByField<D extends Definition> = {
  readonly [Name in FieldName<D>]?: Bare<Sayable<D, Name>> | Said<Sayable<D, Name>>
}

/** `[{ field: 'need.issue', value: 'refund' }]`, as `schema.tool('observe')` has a language model write them. */
export type Listed<D extends Definition> = {
  [Name in FieldName<D>]: Said<Sayable<D, Name>> & { readonly field: Name }
}[FieldName<D>]
