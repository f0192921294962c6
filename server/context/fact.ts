import type { Belief } from '../../model/belief.ts'
import type { Status } from '../../model/opinion.ts'
import type { Json } from '../../model/value.ts'
import { ageOf } from './age.ts'
import { excerptOf, excerptOfAll } from './excerpt.ts'
import { rounded } from './sureness.ts'

/** A belief as a context shows it. Texts are inert (model/inert.ts); what does not apply is absent, since it costs tokens. */
export interface Fact {
  readonly field: string
  /** null when nothing is believed and something is denied. */
  readonly value: Json
  /** How many characters of the value and of what is denied were left out. */
  readonly cut?: number
  readonly confidence: number
  readonly status: Status
  readonly age: string
  readonly contested: boolean
  /** What else it may be, when contested. */
  readonly alternatives?: readonly Rival[]
  /** Of a set: the elements that are contested. */
  readonly disputed?: readonly Json[]
  /** What a person said it is not. */
  readonly denied?: readonly Json[]
}

export interface Rival {
  readonly value: Json
  readonly confidence: number
}

const MAX_ASIDES = 3
const ASIDE_ROOM = 60

/** `room`: how many characters the value may take. */
export function factOf(field: string, belief: Belief, time: number, room: number): Fact {
  const { value, cut: cutOfValue } = excerptOf(belief.value, room)
  const { values: denied, cut: cutOfDenied } = excerptOfAll(belief.denied, room)
  const cut = cutOfValue + cutOfDenied
  const aside = (other: Json): Json => excerptOf(other, Math.min(room, ASIDE_ROOM)).value
  const alternatives = rivals(belief, aside)
  const disputed = disputes(belief, aside)
  return {
    field,
    value,
    ...(cut > 0 && { cut }),
    confidence: rounded(belief.confidence),
    status: belief.status,
    age: ageOf(time - belief.lastSeen),
    contested: belief.contested,
    ...(alternatives.length > 0 && { alternatives }),
    ...(disputed.length > 0 && { disputed }),
    ...(denied.length > 0 && { denied }),
  }
}

/** Words that a person's word holds back count for nothing yet, but are what contests it. */
function rivals(belief: Belief, aside: (value: Json) => Json): Rival[] {
  if (!belief.contested) return []
  return belief.alternatives
    .slice(0, MAX_ASIDES)
    .map(({ value, confidence, held }) => ({ value: aside(value), confidence: rounded(Math.max(confidence, held)) }))
}

const disputes = ({ elements = [] }: Belief, aside: (value: Json) => Json): Json[] =>
  elements
    .filter(element => element.contested)
    .slice(0, MAX_ASIDES)
    .map(element => aside(element.value))
