import type { Belief } from '../belief.ts'
import type { View } from '../view.ts'
import type { Checkpoint } from './handoff.ts'
import type { Message } from './section.ts'
import type { Work } from './work.ts'

/** What the next holder is told, as parts that can be left out one by one. */
export interface Part {
  readonly title: string
  readonly text: string
  /** Must not be left out. */
  readonly required: boolean
  /** What it is called when it is left out. */
  readonly name: string
  /** By which it can be fetched instead; shorter than the text. */
  readonly ref?: string
}

/** What a story is built from: all of it as the reader may see it. */
export interface Story {
  readonly work: Work
  readonly message: Pick<Message, 'reason' | 'next' | 'words'>
  readonly checkpoint: Checkpoint | null
  readonly view: View
  /** Fields shown with their beliefs, those that must not be left out first. */
  readonly pinned: readonly string[]
  readonly others: readonly string[]
  /** Makes stored text inert, in at most so many characters. */
  readonly quote: (text: string, room?: number) => string
}

const ROOM = 300

/** What is happening, why, what was tried, what is fragile, what to watch: built from the state. */
export function narrate(story: Story): Part[] {
  const { work, message, quote } = story
  const line = (title: string, name: string, text: string, required = false): Part => ({ title, name, text, required })
  return [
    line('Intent', 'intent', `The user said: ${quote(work.intent.words)}`, true),
    ...(work.intent.goal === null ? [] : [line('Intent', 'goal', `They want: ${quote(work.intent.goal)}`, true)]),
    ...(work.task === null ? [] : [line('Intent', 'task', `Task: ${work.task}`, true)]),
    ...work.constraints.map(rule => line('Constraints', 'constraint', quote(rule.text), true)),
    ...work.exclusions.map(rule => line('Not to be done', 'exclusion', quote(rule.text), true)),
    ...work.agreements.map(({ text }) => line('Agreed with the user', 'agreement', quote(text), true)),
    ...story.pinned.flatMap(field => factOf(story, field, true)),
    ...(message.reason === '' ? [] : [line('Why you', 'reason', quote(message.reason, ROOM))]),
    ...(message.next === '' ? [] : [line('Why you', 'next', `Next: ${quote(message.next, ROOM)}`)]),
    ...happening(story),
    ...resuming(story),
    ...work.validations
      .filter(({ status }) => status === 'pending')
      .map(({ id, what }) => ({
        ...line('To watch', `validation ${id}`, `Unconfirmed: ${quote(what, ROOM)}`),
        ref: id,
      })),
    ...fragile(story).map(text => line('Fragile', 'fragile', text)),
    ...(message.words === null ? [] : [line('In the words of the last holder', 'words', quote(message.words))]),
    ...work.environment.map(({ id, text }) => ({ ...line('Environment', `note ${id}`, quote(text, ROOM)), ref: id })),
    ...work.history.map(({ id, by, what, why }) => ({
      ...line('Decided', `decision ${id}`, `${by.role}: ${quote(what, ROOM)}, because ${quote(why, ROOM)}`),
      ref: id,
    })),
    ...story.others.flatMap(field => factOf(story, field, false)),
  ]
}

/** Threads in the order in which to pick them up, with what was tried. */
function happening({ work, quote }: Story): Part[] {
  return work.threads
    .filter(({ status }) => status !== 'done' && status !== 'dropped')
    .map(({ id, goal, status, approach, assumptions, deadEnds, links }) => {
      const said = [
        `${quote(goal, ROOM)} (${status})`,
        ...(approach === '' ? [] : [`approach: ${quote(approach, ROOM)}`]),
        ...assumptions.map(text => `assumes ${quote(text, ROOM)}`),
        ...deadEnds.map(text => `tried in vain: ${quote(text, ROOM)}`),
        ...links.map(({ field, why }) => `${field} matters: ${quote(why, ROOM)}`),
      ]
      return { title: 'Threads', name: `thread ${id}`, text: said.join('; '), required: false, ref: id }
    })
}

function resuming({ checkpoint, quote }: Story): Part[] {
  if (!checkpoint) return []
  const note = checkpoint.note === '' ? '' : `: ${quote(checkpoint.note, ROOM)}`
  return [{ title: 'Resume', name: 'checkpoint', text: `From checkpoint ${checkpoint.number}${note}`, required: false }]
}

/** Threads that break easily, and beliefs that may not hold. */
function fragile({ work, view, pinned, quote }: Story): string[] {
  const threads = work.threads
    .filter(({ fragility, status }) => fragility >= 0.7 && status !== 'done' && status !== 'dropped')
    .map(({ goal }) => `${quote(goal, ROOM)} breaks easily`)
  const beliefs = pinned.flatMap(field => {
    const belief = view.get(field)
    if (!belief) return []
    if (belief.contested) return [`${field} is contested`]
    return belief.status === 'fresh' ? [] : [`${field} is ${belief.status}`]
  })
  return [...threads, ...beliefs]
}

function factOf({ view, quote }: Story, field: string, required: boolean): Part[] {
  const belief = view.get(field)
  if (!belief || belief.value === null) return []
  return [{ title: 'Known', name: field, text: `${field}: ${shownValue(belief, quote)}`, required, ref: field }]
}

const shownValue = ({ value, confidence }: Belief, quote: Story['quote']): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `${quote(text, ROOM)} (${confidence.toFixed(2)})`
}

/** Parts as one text, under their titles. */
export function written(parts: readonly Part[]): string {
  const lines: string[] = []
  let title = ''
  for (const part of parts) {
    if (part.title !== title) lines.push(`${lines.length > 0 ? '\n' : ''}## ${part.title}`)
    title = part.title
    lines.push(`- ${part.text}`)
  }
  return lines.join('\n')
}
