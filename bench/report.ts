import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

/** One comparison; of every metric less is better, and `ratio` is ours ÷ theirs. */
export interface Row {
  readonly case: string
  readonly metric: string
  readonly ours: number
  readonly peer: string
  readonly theirs: number
  readonly ratio: number
}

export interface Requirement {
  readonly text: string
  readonly met: boolean
}

export interface Outcome {
  readonly rows: readonly Row[]
  readonly requirements: readonly Requirement[]
}

/** The caller asked for something that can't be done; the message says what to do instead. */
export class UsageError extends Error {}

export const compared = (row: Omit<Row, 'ratio'>): Row => ({ ...row, ratio: row.ours / row.theirs })

/** "what: value (at most limit)", met when it is so. */
export const atMost = (what: string, value: number, limit: number): Requirement => ({
  text: `${what}: ${figure(value)} (at most ${figure(limit)})`,
  met: value <= limit,
})

export const atLeast = (what: string, value: number, limit: number): Requirement => ({
  text: `${what}: ${figure(value)} (at least ${figure(limit)})`,
  met: value >= limit,
})

/** A dash for what there is nothing to compare with. */
const figure = (value: number, decimals = value >= 100 ? 1 : 4): string =>
  Number.isNaN(value) ? '–' : value.toFixed(decimals)

export function printOutcome(name: string, { rows, requirements }: Outcome): void {
  console.log(`\n${name}\n\n${table(rows)}\n`)
  for (const { text, met } of requirements) console.log(`${met ? 'PASS' : 'FAIL'}  ${text}`)
}

function table(rows: readonly Row[]): string {
  const head = ['case', 'metric', 'ours', 'peer', 'theirs', 'ratio']
  const body = rows.map(row => [
    row.case,
    row.metric,
    figure(row.ours),
    row.peer,
    figure(row.theirs),
    Number.isFinite(row.ratio) ? figure(row.ratio, 3) : '–',
  ])
  const widths = head.map((title, i) => Math.max(title.length, ...body.map(cells => cells[i]?.length ?? 0)))
  const line = (cells: readonly string[]) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')
  return [head, widths.map(width => '-'.repeat(width)), ...body].map(cells => line(cells).trimEnd()).join('\n')
}

export function writeJson(file: string, bench: string, rows: readonly Row[]): void {
  writeFileSync(file, `${JSON.stringify({ bench, commit: commit(), machine: machine(), rows }, null, 2)}\n`)
}

function commit(): string | null {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  node: process.version,
  memory: `${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
})
