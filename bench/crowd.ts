import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { UsageError } from './report.ts'

export interface Label {
  readonly annotator: string
  readonly says: boolean
}

export interface Item {
  readonly name: string
  readonly truth: boolean
  readonly labels: readonly Label[]
}

const binary = z.enum(['0', '1']).transform(text => text === '1')
const line = z
  .object({ item: z.string(), gold: binary, labels: z.array(z.tuple([z.string(), binary])).min(1) })
  .transform(
    ({ item, gold, labels }): Item => ({
      name: item,
      truth: gold,
      labels: labels.map(([annotator, says]) => ({ annotator, says })),
    }),
  )

export function readCrowd(path: string): Item[] {
  if (!existsSync(path))
    throw new UsageError(`No data at ${path}. Give the path of crowd_bluebirds.jsonl with --data PATH.`)
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((text, i) => parseLine(path, text, i + 1))
}

function parseLine(path: string, text: string, number: number): Item {
  try {
    return line.parse(JSON.parse(text))
  } catch {
    throw new UsageError(`${path}:${number}: expected {"item":"…","gold":"0"|"1","labels":[["annotator","0"|"1"],…]}`)
  }
}
