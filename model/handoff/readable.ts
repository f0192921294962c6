import type { Scope } from '../scope.ts'

/** Whether a scope may read what speaks of these fields. */
export const isReadable = ({ read }: Scope, fields: readonly string[]): boolean => fields.every(name => read.has(name))
