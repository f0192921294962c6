import type { Entry } from './entry.ts'

/**
 * The file of an outbox, one JSON object a line:
 *
 *     {"add":{"key":"a1","agent":"ava","user":"u_42","op":"observe","observations":[…]}}
 *     {"done":"a1"}
 */
type Line = { readonly add: Entry } | { readonly done: string }

export const addLine = (entry: Entry): string => `${JSON.stringify({ add: entry })}\n`
export const doneLine = (key: string): string => `${JSON.stringify({ done: key })}\n`

/**
 * The entries that are not done, in order. The last line may be torn, by a crash while it was written: that entry was
 * never sent, since nothing is sent before its line is whole. A damaged line elsewhere is an error: words would be lost.
 */
export function readLines(text: string, path: string): readonly Entry[] {
  const lines = text.split('\n')
  lines.pop()
  const entries = new Map<string, Entry>()
  for (const [i, line] of lines.entries()) {
    const read = readLine(line)
    if (!read) throw new Error(`${path}: line ${i + 1} is damaged. Mend or remove it; what it held is lost.`)
    if ('add' in read) entries.set(read.add.key, read.add)
    else entries.delete(read.done)
  }
  return [...entries.values()]
}

function readLine(text: string): Line | undefined {
  try {
    const line: Line = JSON.parse(text)
    return isLine(line) ? line : undefined
  } catch {
    return undefined
  }
}

function isLine(line: unknown): boolean {
  if (typeof line !== 'object' || line === null) return false
  if ('done' in line) return typeof line.done === 'string'
  return 'add' in line && typeof line.add === 'object' && line.add !== null && 'key' in line.add && 'op' in line.add
}
