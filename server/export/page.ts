import type { Evidence } from '../../model/evidence.ts'
import { inert } from '../../model/inert.ts'
import type { ExportAnswer, NameExported } from '../../model/wire/export.ts'
import type { Kept } from '../handoff/kept.ts'
import { HANDOFFS } from '../handoff/kept.ts'

/**
 * An export for a person to read. Lines begin with what this file writes, and whatever is stored stands after it, quoted
 * and inert, so that nothing that was said can pass for a part of the page.
 */
export function pageOf(exported: ExportAnswer): string {
  const { user, aliases = [] } = exported
  return [
    `# Everything kept of ${quoted(user)}`,
    '',
    ...(aliases.length === 0
      ? []
      : ['Other names of the same person:', '', ...aliases.map(each => `- ${joined(each)}`), '']),
    ...nameLines(user, exported),
    ...aliases.flatMap(each => nameLines(each.alias, each)),
  ].join('\n')
}

const joined = ({ alias, by, at }: { alias: string; by: string; at: number }): string =>
  `${quoted(alias)}, joined by ${quoted(by)} on ${when(at)}`

function nameLines(name: string, { evidence, papers, audit, cut = [] }: NameExported): string[] {
  const retractions = evidence.filter(piece => piece.type === 'retraction')
  const handoffs = Object.entries(papers ?? {}).flatMap(([id, paper]) =>
    id.startsWith(HANDOFFS) ? [paper as Kept] : [],
  )
  return [
    ...part(`What was said under ${quoted(name)}`, saidLines(evidence)),
    ...part('What was taken back', retractions.map(retractionLine)),
    ...(papers ? part('Who worked for you', handoffs.flatMap(handoffLines)) : []),
    ...(audit ? part('Who saw, said or did what', (audit ?? []).map(auditLine)) : []),
    ...(cut.length > 0 ? [`Not all of it fitted: there is more of ${cut.join(' and ')}.`, ''] : []),
  ]
}

const part = (title: string, lines: readonly string[]): string[] => [
  `## ${title}`,
  '',
  ...(lines.length > 0 ? lines : ['Nothing.']),
  '',
]

function saidLines(evidence: readonly Evidence[]): string[] {
  const byField = new Map<string, string[]>()
  for (const piece of [...evidence].sort((a, b) => timeOf(a) - timeOf(b))) {
    if (piece.type === 'retraction') continue
    byField.set(piece.field, [...(byField.get(piece.field) ?? []), wordLine(piece)])
  }
  return [...byField].flatMap(([field, lines]) => [`### ${quoted(field)}`, '', ...lines, '']).slice(0, -1)
}

const timeOf = (piece: Evidence): number =>
  piece.type === 'pack' ? Math.max(...piece.parts.map(({ at }) => at)) : piece.type === 'retraction' ? 0 : piece.at

function wordLine(piece: Exclude<Evidence, { type: 'retraction' }>): string {
  const said = `${piece.not ? 'not ' : ''}${quotedValue(piece.value)}`
  const who = `${quoted(piece.agent)} (${quoted(piece.role)})`
  const about = [
    ...(piece.type === 'word' ? [piece.basis, `sure ${piece.confidence}, trusted ${piece.trust}`] : []),
    ...(piece.type === 'pack' ? [`said ${piece.parts.length} times`] : []),
    ...(piece.type === 'sum' ? [`summed up from ${piece.episodes.length} times`] : []),
    ...('interaction' in piece ? [`in ${quoted(piece.interaction)}`] : []),
    ...('source' in piece && piece.source !== undefined ? [`from ${quoted(piece.source)}`] : []),
    ...('echo' in piece ? ['repeats what it was shown'] : []),
    ...('why' in piece && piece.why !== undefined ? [`because ${quoted(piece.why)}`] : []),
  ]
  return `- ${when(timeOf(piece))}: ${said}, said by ${who}; ${about.join(', ')}`
}

function retractionLine(piece: Extract<Evidence, { type: 'retraction' }>): string {
  const { received, by, role, agent, interaction, source, field, why } = piece
  const what = Object.entries({ agent, interaction, source, field }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} ${quoted(value)}`],
  )
  const reason = why === undefined ? '' : `, because ${quoted(why)}`
  return `- ${when(received)}: words with ${what.join(', ')}, by ${quoted(by)} (${quoted(role)})${reason}`
}

function handoffLines({ handoff, message }: Kept): string[] {
  const { id, from, grant, state, made, checkpoint, exchange = [], events } = handoff
  const sender = from ? `handed on by ${quoted(from.agent)} (${quoted(from.role)})` : 'begun'
  const fields = grant.fields ? `the fields ${grant.fields.map(quoted).join(', ')}` : 'the fields of its role'
  return [
    `- ${quoted(id)}, ${when(made)}: ${sender}, ${state.name}; ${quoted(message.reason)}`,
    `  - could read ${fields} until ${when(grant.expires)}`,
    ...events.map(({ at, what, by, why }) => `  - ${when(at)}: ${what}${byWhom(by)}${because(why)}`),
    ...(checkpoint ? [`  - last checkpoint, ${when(checkpoint.at)}: ${quotedValue(checkpoint.state)}`] : []),
    ...exchange.map(each => `  - asked and answered: ${quotedValue(each)}`),
  ]
}

const byWhom = (by: string | undefined): string => (by === undefined ? '' : ` by ${quoted(by)}`)
const because = (why: string | undefined): string => (why === undefined ? '' : `, because ${quoted(why)}`)

function auditLine({ at, kind, agent, role, what, fields }: NonNullable<NameExported['audit']>[number]): string {
  const who = agent === undefined ? '' : ` by ${quoted(agent)}${role === undefined ? '' : ` (${quoted(role)})`}`
  const how = what === undefined ? '' : ` (${quoted(what)})`
  return `- ${when(at)}: ${kind}${how}${who}${fields ? `: ${fields.map(quoted).join(', ')}` : ''}`
}

const when = (time: number): string => new Date(time).toISOString()
const quoted = (text: string): string => `"${inert(text)}"`
const quotedValue = (value: unknown): string => quoted(typeof value === 'string' ? value : JSON.stringify(value))
