import type { Questions, Replayed } from './replay.ts'

/** What a replay found, for people. */
export function reportOf(replayed: Replayed): string {
  const { lines, users, handoffs, questions, fields, leftOut, putAway } = replayed
  const asked = totalOf(questions)
  return [
    `${many(lines, 'line')}, ${many(users, 'user')}, ${many(handoffs, 'handoff')}${spanOf(replayed)}.`,
    ...(asked === 0 ? [NOTHING] : [headline(questions, asked), ...table(fields)]),
    ...(leftOut.count === 0 ? [] : ['', `${many(leftOut.count, 'line')} left out:`]),
    ...leftOut.first.map(({ line, why }) => `  line ${line}: ${why}`),
    ...(leftOut.count > leftOut.first.length ? [`  … and ${leftOut.count - leftOut.first.length} more.`] : []),
    ...(putAway > 0
      ? ['', `Users were put away ${many(putAway, 'time')} to bound memory: fewer repeats may be counted.`]
      : []),
  ].join('\n')
}

const NOTHING =
  'No holder asked for anything, or recorded anything as heard, after a handoff: there is nothing to count.'

function headline({ repeats, otherwise }: Questions, asked: number): string {
  const share = Math.round((100 * repeats) / asked)
  return [
    '',
    `After a handoff users were asked ${many(asked, 'time')}. ${repeats} of them (${share} %) would have been avoided:`,
    'the next agent could have read the very value.',
    ...(otherwise > 0
      ? [`${otherwise} more had a value to read, and the user said another: those have to be asked.`]
      : []),
    '',
  ].join('\n')
}

function table(fields: Replayed['fields']): string[] {
  const rows = Object.entries(fields).map(([field, { repeats, otherwise, news }]) => [field, repeats, otherwise, news])
  const cells = [['field', 'avoided', 'otherwise', 'not known'], ...rows].map(row => row.map(String))
  const widths = [0, 1, 2, 3].map(column => Math.max(...cells.map(row => row[column]?.length ?? 0)))
  return cells.map(row =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(at(widths, i)) : cell.padStart(at(widths, i)))).join('  '),
  )
}

const at = (widths: readonly number[], column: number): number => widths[column] ?? 0
const totalOf = ({ repeats, otherwise, news }: Questions): number => repeats + otherwise + news
const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
const spanOf = ({ from, to }: Replayed): string =>
  from === null || to === null ? '' : `, ${dayOf(from)} to ${dayOf(to)}`
