import type { ModelDefinition } from './definition.ts'
import type { Json } from './value.ts'

/** What TypeScript knows of a schema: the names of its fields and what each may hold. */

type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

export type Definition = DeepReadonly<ModelDefinition>

type Segment<S extends string> = S extends '*' ? string : S
type Instance<Name extends string> = Name extends `${infer Head}.${infer Rest}`
  ? `${Segment<Head>}.${Instance<Rest>}`
  : Segment<Name>

/** `'need.issue' | `order.${string}.status``: every name an observation of this schema may use. */
export type FieldOf<D extends Definition> = Instance<keyof D['fields'] & string>

type Defined<D extends Definition, Name extends string> = {
  [Key in keyof D['fields'] & string]: Name extends Instance<Key> ? D['fields'][Key] : never
}[keyof D['fields'] & string]

type Held<F> = F extends { kind: 'flag' }
  ? boolean
  : F extends { kind: 'number' }
    ? number
    : F extends { kind: 'record' }
      ? { [key: string]: Json }
      : F extends { kind: 'choice' | 'set'; values: readonly (infer Value)[] }
        ? Value
        : string

/** What one observation of the field says; of a set, one element. */
export type ValueOf<D extends Definition, Name extends FieldOf<D>> = Held<Defined<D, Name>>

export type RoleOf<D extends Definition> = keyof D['roles'] & string
