import { createReadStream } from 'node:fs'

export const MAX_LINE = 65_536

export interface Numbered {
  readonly number: number
  /** Undefined: longer than a line may be. */
  readonly text: string | undefined
}

/** The lines of a file that say something, with their numbers. No more than one line and one chunk is in memory. */
export async function* linesOf(file: string): AsyncIterable<Numbered> {
  let rest = ''
  let number = 0
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = (lines.pop() ?? '').slice(0, MAX_LINE + 1)
    for (const line of lines) yield* told(++number, line)
  }
  yield* told(number + 1, rest)
}

function* told(number: number, line: string): Iterable<Numbered> {
  if (line.length > MAX_LINE) yield { number, text: undefined }
  else if (line.trim() !== '') yield { number, text: number === 1 ? line.replace(/^\uFEFF/, '') : line }
}
