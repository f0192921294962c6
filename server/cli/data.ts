import { existsSync } from 'node:fs'
import { UsageError } from './usage.ts'

/** For commands that only look: a mistyped directory must not be made, and then found empty. */
export function requireData(directory: string): void {
  if (!existsSync(directory)) throw new UsageError(`There is no data in ${directory}. Name the directory with --data.`)
}
