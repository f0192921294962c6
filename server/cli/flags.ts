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
  const { values, positionals } = parse(args, Object.fromEntries<Option>([...single, ...many]))
  const flags = Object.fromEntries(names.map(name => [name, values[name] ?? fromEnvironment(name)])) as Flags<Name>
  return {
    flags,
    lists: Object.fromEntries(lists.map(name => [name, listOf(values[name], fromEnvironment(name))])),
    rest: positionals,
  }
}

interface Option {
  readonly type: 'string'
  readonly multiple?: boolean
}

function parse(args: readonly string[], options: Record<string, Option>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split(/[.\n]/)
    const allowed = Object.keys(options).map(name => `--${name}`)
    throw new UsageError(`${reason}. Flags of this command: ${allowed.join(', ')}.`)
  }
}

/** For commands that take flags only: a word that stands alone is a flag that was mistyped. */
export function requireNoRest({ rest: [first] }: Pick<Line<string>, 'rest'>): void {
  if (first !== undefined)
    throw new UsageError(`"${first}" stands alone. This command takes flags only, such as --data DIR.`)
}

const fromEnvironment = (name: string): string | undefined =>
  process.env[`SELFSAME_${name.toUpperCase().replaceAll('-', '_')}`] || undefined

const listOf = (given: unknown, environment: string | undefined): readonly string[] =>
  Array.isArray(given) ? given.map(String) : (environment?.split(',') ?? [])

export function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError('--port is a number from 0 to 65535.')
  return port
}
