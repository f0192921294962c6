import { parseArgs } from 'node:util'
import { UsageError } from './usage.ts'

type Flags<Name extends string> = Readonly<Record<Name, string | undefined>>

export interface Line<Name extends string> {
  readonly flags: Flags<Name>
  /** Flags that may be given more than once, and their environment variable by comma. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly rest: readonly string[]
}

/** Reads flags from the command line, and those that are not there from SELFSAME_* variables. */
export function readFlags<const Name extends string>(
  args: readonly string[],
  names: readonly Name[],
  lists: readonly string[] = [],
): Line<Name> {
  const single = names.map(name => [name, { type: 'string' as const }] as const)
  const many = lists.map(name => [name, { type: 'string' as const, multiple: true }] as const)
  const { values, positionals } = parse(
    args,
    Object.fromEntries<{ type: 'string'; multiple?: boolean }>([...single, ...many]),
  )
  const flags = Object.fromEntries(names.map(name => [name, values[name] ?? fromEnvironment(name)])) as Flags<Name>
  return {
    flags,
    lists: Object.fromEntries(lists.map(name => [name, listOf(values[name], fromEnvironment(name))])),
    rest: positionals,
  }
}

function parse(args: readonly string[], options: Record<string, { type: 'string'; multiple?: boolean }>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const fromEnvironment = (name: string): string | undefined =>
  process.env[`SELFSAME_${name.toUpperCase().replaceAll('-', '_')}`] || undefined

const listOf = (given: unknown, environment: string | undefined): readonly string[] =>
  Array.isArray(given) ? given.map(String) : (environment?.split(',') ?? [])
