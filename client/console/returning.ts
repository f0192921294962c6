import type { Desk, Work } from '../index.ts'
import { ask } from './ask.tsx'
import { inputsFor, resultFrom } from './expected.ts'
import { fieldSeen } from './field-seen.ts'
import { release } from './holding.ts'
import { tell } from './notice.tsx'
import type { Person } from './person.ts'
import { labelOf, shown } from './wording.ts'

/** As many fields as a reason can be tagged with. */
const MAX_LEARNED = 32

/** What has changed since the work was taken up. What is secret enters no free text. */
const learned = (desk: Desk, person: Person, work: Work): string[] =>
  person.facts.beliefs
    .filter(([field, { value }]) => JSON.stringify(work.model.get(field)?.value) !== JSON.stringify(value))
    .flatMap(([field]) => (fieldSeen(desk, field)?.sensitivity === 'secret' ? [] : [field]))
    .slice(0, MAX_LEARNED)

const lineOf = (person: Person, field: string): string =>
  `${labelOf(field)}: ${shown(person.facts.of(field)?.peek().belief.value ?? null)}`

/** The text is tagged with the fields it speaks of, so that who may not read them does not get it either. */
export function handBack(desk: Desk, person: Person, work: Work): void {
  const fields = learned(desk, person, work)
  const draft = fields.length === 0 ? '' : `Learned: ${fields.map(field => lineOf(person, field)).join('; ')}.`
  ask({
    title: `Return to ${work.delivery.handoff.from?.agent ?? 'the sender'}`,
    about: 'The user goes back with what was learned. Beliefs and work are passed on as they stand.',
    inputs: [
      { name: 'why', label: 'What was learned, and why it goes back', kind: 'text', value: draft },
      { name: 'next', label: 'What to do next', kind: 'text', optional: true },
    ],
    action: 'Return',
    run: async ({ why = '', next = '' }) => {
      const spoken = fields.filter(field => why.includes(`${labelOf(field)}:`))
      await work.return(why, { fields: spoken, ...(next !== '' && { next }) })
      over(work, 'Returned.')
    },
  })
}

export const finish = (work: Work): void => {
  const expected = work.envelope.sections.find(({ name }) => name === 'expected')?.body ?? null
  ask({
    title: 'Complete this work',
    about: 'The user has what they came for. Nothing more is expected of anyone.',
    inputs: inputsFor(expected),
    action: 'Complete',
    run: async answers => {
      await work.complete(resultFrom(expected, answers))
      over(work, 'Completed.')
    },
  })
}

function over(work: Work, text: string): void {
  release(work.id)
  tell(text)
}
