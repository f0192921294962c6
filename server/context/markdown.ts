import { written } from './excerpt.ts'
import type { Fact } from './fact.ts'
import { asOf, type Format, type LeftOut, NOTE, type Page } from './page.ts'
import type { Needs } from './ranking.ts'
import { share, surenessOf } from './sureness.ts'

/**
 * A list with one line per fact. Lines begin with what this file writes and values stand quoted after the field's name,
 * so no stored text begins a line:
 *
 *     - emotion.state: "calm" (likely .71, 5 min ago, fading, contested by "angry" .20, not "frustrated")
 */
export const markdown: Format<string> = {
  write: ({ time, needs, facts, leftOut }: Page): string =>
    [`${NOTE} As of ${asOf(time)}.`, ...needLines(needs), '', ...facts.map(line), ...leftOutLines(leftOut), ''].join(
      '\n',
    ),
  textOf: text => text,
  part: fact => `${line(fact)}\n`,
}

const line = (fact: Fact): string => `- ${fact.field}: ${said(fact)} (${remarks(fact).join(', ')})`

const said = ({ value, denied = [] }: Fact): string => (value === null ? `not ${listed(denied)}` : written(value))

function remarks(fact: Fact): string[] {
  const { value, confidence, age, status, cut, denied } = fact
  const isBelieved = value !== null
  return [
    isBelieved ? surenessOf(confidence) : 'denied',
    age === 'now' ? 'just now' : `${age} ago`,
    ...(status === 'fresh' ? [] : [status]),
    ...(cut ? [`${cut} characters left out`] : []),
    ...(fact.contested ? [contest(fact)] : []),
    ...(isBelieved && denied ? [`not ${listed(denied)}`] : []),
  ]
}

function contest({ alternatives = [], disputed = [] }: Fact): string {
  const rivals = alternatives.map(({ value, confidence }) => `${written(value)} ${share(confidence)}`)
  if (rivals.length > 0) return `contested by ${rivals.join(' or ')}`
  return disputed.length > 0 ? `contested: ${listed(disputed)}` : 'contested'
}

const listed = (values: NonNullable<Fact['denied']>): string => values.map(written).join(' or ')

const needLines = ({ missing, stale }: Needs): string[] => [
  ...(missing.length > 0 ? [`Needed, not known: ${missing.join(', ')}.`] : []),
  ...(stale.length > 0 ? [`Needed, known but stale: ${stale.join(', ')}.`] : []),
]

function leftOutLines({ budget, stale }: LeftOut): string[] {
  const reasons = [...(budget > 0 ? [`${budget} for lack of room`] : []), ...(stale > 0 ? [`${stale} stale`] : [])]
  return reasons.length > 0 ? ['', `Fields left out: ${reasons.join(', ')}.`] : []
}
