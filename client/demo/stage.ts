import { setTimeout as pause } from 'node:timers/promises'
import type { desk } from '../../model/sample/desk.ts'
import type { UserModel } from '../user-model.ts'

type Model = UserModel<(typeof desk)['definition']>

const isTerminal = process.stdout.isTTY === true
const paint = (code: number) => (text: string) => (isTerminal ? `\u001b[${code}m${text}\u001b[0m` : text)
const [bold, dim, green, yellow] = [paint(1), paint(2), paint(32), paint(33)]

/** A beat is long enough to read a line, and nothing where nobody watches. */
const BEAT_MS = isTerminal ? 700 : 0
const BAR = 20

export async function scene(title: string, why: string): Promise<void> {
  await pause(2 * BEAT_MS)
  console.log(`\n${bold(title)}\n${dim(why)}`)
}

export async function line(who: string, text: string): Promise<void> {
  await pause(BEAT_MS)
  console.log(`  ${green(who.padEnd(8))} ${text}`)
}

/** What one role sees, a line for each belief. */
export async function show(who: string, model: Model, milliseconds?: number): Promise<void> {
  const time = milliseconds === undefined ? '' : dim(` (read in ${milliseconds.toFixed(1)} ms)`)
  await line(who, `sees ${model.size} beliefs${time}`)
  for (const [field, belief] of model) {
    const bar = '█'.repeat(Math.round(belief.confidence * BAR)).padEnd(BAR, '·')
    const marks = [belief.status, ...(belief.contested ? [yellow('contested')] : [])].join(', ')
    console.log(
      `           ${bar} ${belief.confidence.toFixed(2)}  ${field} = ${JSON.stringify(belief.value)}  ${dim(marks)}`,
    )
  }
}

export function text(block: string): void {
  for (const row of block.trimEnd().split('\n')) console.log(`           ${dim('│')} ${row}`)
}
