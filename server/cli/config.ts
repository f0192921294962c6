import { readFileSync } from 'node:fs'
import { desk } from '../../model/sample/desk.ts'
import { parseModel, type Schema } from '../../model/schema.ts'
import { UsageError } from './usage.ts'

/** The schema in a file, or the sample support desk. Every mistake is named with its path. */
export function readConfig(file: string | undefined): Schema {
  if (file === undefined) return desk
  const parsed = parseModel(readJsonFile(file))
  if (parsed.ok) return parsed.value
  const lines = (parsed.error.details ?? []).map(({ path, message }) => `  ${path || 'the schema'}: ${message}`)
  throw new UsageError(`${file} is not a schema:\n${lines.join('\n')}`)
}

export function readJsonFile(file: string): unknown {
  const text = readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`${file} can't be read.`)
  }
}
