import type { Pack, Part, Sum, Word } from './evidence.ts'
import type { Field } from './field.ts'
import { type Json, keyOf } from './value.ts'

/** Prior weight of not knowing: an opinion starts from W pieces of ignorance. */
export const W = 2

/** Weight of a word at the time it was said: x = 0.95 weighs 38, so that alone it reads 38 / (2 + 38) = 0.95. */
export const weightOf = (x: number): number => (W * x) / (1 - x)

/** A piece of evidence as the algebra sees it: a word, a part of a pack, or a sum, all of one shape. */
export interface Term {
  readonly at: number
  readonly seq: number
  readonly id: string
  readonly agent: string
  readonly interaction: string
  readonly source: string | undefined
  /** The task the word counts for; '' when it has none or the field is not bound to tasks. */
  readonly task: string
  /** The element of a set that it speaks of; '' for other kinds. */
  readonly element: string
  /** What it says, as a key: equal exactly when two terms say the same. Of a set: the element, and whether it is in. */
  readonly key: string
  readonly value: Json
  readonly denies: boolean
  readonly rank: 0 | 1
  readonly echo: boolean
  /** Trusted confidence; of a sum unused. */
  readonly x: number
  /** Weight at `at`. */
  readonly weight: number
  /** A settling word sets aside what disagrees and was said up to here. */
  readonly boundary: number
  /** How many words it stands for, and what they claimed altogether. */
  readonly count: number
  readonly claimed: number
  readonly episodes: readonly string[]
  readonly evidence: Word | Part | Sum
  /** The piece of evidence it came in, as it was said: itself, or the pack it is a part of. */
  readonly carrier: Word | Pack | Sum
}

/** What a word, each part of a pack, and a sum have in common besides what sets them apart. */
interface Said {
  readonly value: Json
  readonly not?: true
  readonly agent: string
  readonly task?: string
}

const claim = (field: Field, said: Said) => {
  const isElement = field.kind === 'set'
  return {
    agent: said.agent,
    task: field.taskBound ? (said.task ?? '') : '',
    element: isElement ? keyOf(said.value) : '',
    key: isElement ? `${said.not ? '-' : '+'}${keyOf(said.value)}` : keyOf(said.value),
    value: isElement ? !said.not : said.value,
    denies: !isElement && said.not === true,
  }
}

export function termOfWord(field: Field, late: number, word: Word, carrier: Term['carrier']): Term {
  const x = word.confidence * word.trust
  const said = claim(field, word)
  return {
    at: word.at,
    seq: word.seq,
    id: word.id,
    agent: said.agent,
    interaction: word.interaction,
    source: word.source,
    task: said.task,
    element: said.element,
    key: said.key,
    value: said.value,
    denies: said.denies,
    rank: word.rank,
    echo: word.echo === true,
    x,
    weight: weightOf(x),
    boundary: Math.max(word.at, word.received - late),
    count: 1,
    claimed: word.confidence,
    episodes: [word.episode],
    evidence: word,
    carrier,
  }
}

export function termOfPart(field: Field, pack: Pack, part: Part, carrier: Term['carrier']): Term {
  const x = part.confidence * part.trust
  const said = claim(field, pack)
  return {
    at: part.at,
    seq: part.seq,
    id: part.id,
    agent: said.agent,
    interaction: part.interaction,
    source: part.source,
    task: said.task,
    element: said.element,
    key: said.key,
    value: said.value,
    denies: said.denies,
    rank: 0,
    echo: false,
    x,
    weight: weightOf(x),
    boundary: part.at,
    count: 1,
    claimed: part.confidence,
    episodes: [part.episode],
    evidence: part,
    carrier,
  }
}

export function termOfSum(field: Field, sum: Sum, carrier: Term['carrier']): Term {
  const said = claim(field, sum)
  return {
    at: sum.at,
    seq: sum.seq,
    id: sum.last,
    agent: said.agent,
    interaction: sum.interaction,
    source: sum.source,
    task: said.task,
    element: said.element,
    key: said.key,
    value: said.value,
    denies: said.denies,
    rank: 0,
    echo: false,
    x: 0,
    weight: sum.weight,
    boundary: sum.at,
    count: sum.episodes.length,
    claimed: sum.claimed,
    episodes: sum.episodes,
    evidence: sum,
    carrier,
  }
}

/** One register holds one word: of an agent, in an episode of an interaction, for a task and slot. */
export const registersOf = (term: Term): string[] =>
  term.episodes.map(
    episode =>
      `${term.agent}\n${term.interaction}\n${episode}\n${term.task}\n${term.element}${term.denies ? `\n${term.key}` : ''}`,
  )

/** Whether two terms about the same thing can't both be right. */
export function disagree(field: Field, a: Term, b: Term): boolean {
  if (a.denies && b.denies) return false
  return sameValue(field, a, b) === (a.denies || b.denies)
}

export const sameValue = (field: Field, a: Term, b: Term): boolean =>
  field.kind === 'number' ? Math.abs((a.value as number) - (b.value as number)) <= field.tolerance : a.key === b.key
