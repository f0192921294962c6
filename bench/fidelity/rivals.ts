import { o200k } from '../../server/context/tokenizer.ts'
import { type Dialogue, type Handover, isKnownAt, type Naming, nameIn } from './dialogue.ts'

/** Whether a successor that is given so many tokens would find a value there. */
export type Finds = (field: string, value: string) => boolean

export const nothing: Finds = () => false

/** The last turns of the transcript. Whoever reads it is taken to recognise any value that was spoken of. */
export function tailOf({ turns }: Dialogue, handover: Handover, tokens: number): Finds {
  const values = new Set<string>()
  let left = tokens
  for (const { t, observations, utterance_tokens } of turns.toReversed()) {
    if (t > handover.turn || utterance_tokens > left) {
      if (t > handover.turn) continue
      break
    }
    left -= utterance_tokens
    for (const each of observations) if (isKnownAt(handover, t, each)) values.add(each.value)
  }
  return (_, value) => values.has(value)
}

/** A store that keeps the last value of each field, newest first. */
export function lastWrites({ turns }: Dialogue, handover: Handover, naming: Naming): ReadonlyMap<string, string> {
  const last = new Map<string, string>()
  for (const { t, observations } of turns)
    for (const each of observations) {
      if (!isKnownAt(handover, t, each)) continue
      last.delete(nameIn(naming, each))
      last.set(nameIn(naming, each), each.value)
    }
  return new Map([...last].reverse())
}

export function within(writes: ReadonlyMap<string, string>, tokens: number): Finds {
  const shown = new Map<string, string>()
  let left = tokens
  for (const [field, value] of writes) {
    left -= o200k(`- ${field}: ${value}\n`)
    if (left < 0) break
    shown.set(field, value)
  }
  return (field, value) => shown.get(field) === value
}
