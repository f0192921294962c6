import { existsSync } from 'node:fs'
import { SelfsameError } from '../../model/error.ts'
import type { Schema } from '../../model/schema.ts'
import { InferredSchema } from '../replay/inferred.ts'
import { linesOf, MAX_LINE, type Numbered } from '../replay/lines.ts'
import { type LogLine, parseLine } from '../replay/log-line.ts'
import { Replay } from '../replay/replay.ts'
import { reportOf } from '../replay/report.ts'
import { readConfig } from './config.ts'
import { readFlags } from './flags.ts'
import { UsageError } from './usage.ts'

const MAX_MISTAKES = 10

/** How many repeats a shared model would have avoided, from one's own logs. Answers with the exit code. */
export async function replay(args: readonly string[]): Promise<number> {
  const isJson = args.includes('--json')
  const { flags, rest } = readFlags(
    args.filter(arg => arg !== '--json'),
    ['config'],
  )
  const [file] = rest
  if (file === undefined || rest.length > 1) throw new UsageError('Name one FILE.jsonl.')
  if (!existsSync(file)) throw new UsageError(`${file} can't be read.`)
  const schema = flags.config === undefined ? await inferredFrom(file) : readConfig(flags.config)
  const replayed = await replayedFrom(file, schema)
  console.log(isJson ? JSON.stringify(replayed, null, 1) : reportOf(replayed))
  return replayed.leftOut.count > 0 ? 1 : 0
}

async function inferredFrom(file: string): Promise<Schema> {
  const inferred = new InferredSchema()
  await eachLine(file, (_, line) => inferred.see(line))
  return inferred.schema
}

async function replayedFrom(file: string, schema: Schema) {
  const replay = new Replay(schema)
  await eachLine(file, (number, line) => replay.take(number, line))
  return replay.result
}

/** Every mistake is named with its line, up to some of them. A count over a part of a log would mislead, so there is none. */
async function eachLine(file: string, take: (number: number, line: LogLine) => void): Promise<void> {
  const mistakes: string[] = []
  let lines = 0
  for await (const numbered of linesOf(file)) {
    const mistake = mistakeIn(numbered, take)
    if (mistake !== undefined) mistakes.push(`  line ${numbered.number}: ${mistake}`)
    if (mistakes.length === MAX_MISTAKES) break
    lines++
  }
  if (lines === 0 && mistakes.length === 0) throw new UsageError(`${file} is empty.`)
  if (mistakes.length > 0) throw new UsageError(`${file} can't be replayed:\n${mistakes.join('\n')}`)
}

function mistakeIn({ number, text }: Numbered, take: (number: number, line: LogLine) => void): string | undefined {
  if (text === undefined) return `longer than ${MAX_LINE} characters`
  const line = parseLine(text)
  if (!line.ok) return line.error.message
  try {
    take(number, line.value)
    return undefined
  } catch (error) {
    if (error instanceof SelfsameError) return error.message
    throw error
  }
}
