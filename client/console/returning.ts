import type { Work } from '../index.ts'
import { ask } from './ask.tsx'
import { release } from './holding.ts'
import { tell } from './notice.tsx'
import type { Person } from './person.ts'
import { labelOf, shown } from './wording.ts'

/** What has changed since the work was taken up, as a first draft of what was learned. */
function learned(person: Person, work: Work): string {
  const lines = [...(person.beliefs.value ?? [])].flatMap(([field, { value }]) =>
    JSON.stringify(work.model.get(field)?.value) === JSON.stringify(value)
      ? []
      : [`${labelOf(field)}: ${shown(value)}`],
  )
  return lines.length === 0 ? '' : `Learned: ${lines.join('; ')}.`
}

export const handBack = (person: Person, work: Work): void =>
  ask({
    title: `Return to ${work.delivery.handoff.from?.agent ?? 'the sender'}`,
    about: 'The user goes back with what was learned. Beliefs and work are passed on as they stand.',
    inputs: [
      { name: 'why', label: 'What was learned, and why it goes back', kind: 'text', value: learned(person, work) },
      { name: 'next', label: 'What to do next', kind: 'text', optional: true },
    ],
    action: 'Return',
    run: async ({ why = '', next = '' }) => {
      await work.return(why, next === '' ? {} : { next })
      over(person, work, 'Returned.')
    },
  })

export const finish = (person: Person, work: Work): void =>
  ask({
    title: 'Complete this work',
    about: 'The user has what they came for. Nothing more is expected of anyone.',
    inputs: [{ name: 'summary', label: 'Outcome', kind: 'text', value: learned(person, work) }],
    action: 'Complete',
    run: async ({ summary = '' }) => {
      await work.complete({ summary })
      over(person, work, 'Completed.')
    },
  })

function over(person: Person, work: Work, text: string): void {
  release(work.id)
  tell(text)
  person.refresh().catch(() => undefined)
}
